#include "placement/serving/measured/capacity_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <tuple>
#include <utility>

#include "core/nearest_rank.hpp"
#include "placement/serving/load/open_load.hpp"
#include "placement/serving/planner/plan_case.hpp"
#include "placement/serving/service/arrivals.hpp"
#include "placement/serving/service/service_run.hpp"

namespace railyard::placement::serving {
namespace {

/// MLPerf submissions run TensorRT-LLM with batches that fill the memory. Tokens and sequences per
/// step:
constexpr int kTokenBudget = 8192, kMostSequences = 4096;
/// Requests that wait at the beginning of a run, as a multiple of what a replica can hold.
constexpr double kRounds = 8;
/// Throughput is measured between these shares of the answers. This leaves out the first batch and
/// the last answers, which run in ever smaller batches. MLPerf's runs have about fifty rounds.
constexpr double kFrom = 0.25, kTo = 0.75;
constexpr double kSeconds = 600;
constexpr int kLeastRequests = 1000, kMostRequests = 20'000;
/// Upper limit of simulated over closed-form throughput. The simulation can be faster because
/// sequences grow, while the closed form counts each with its full length.
constexpr double kAboveClosedForm = 1.6;

/// Efficiencies of MLPerf submissions. They quantize the inputs of dense layers with one scale per
/// tensor that is set before the run, so these 8-bit products run at the efficiency of bf16 ones.
/// Grouped products of experts keep the efficiency of engines: no measurement has such scales. The
/// host's time per sequence is also that of engines, since MLPerf's harness receives each token as
/// a separate response (`streaming` in closed/NVIDIA/code/llmlib/cores/trtllm_executor_core.py of
/// mlcommons/inference_results_v5.1).
StepEfficiency quantized_ahead(StepEfficiency e) {
  e.static8 = e.matrix;
  return e;
}

/// One replica of a split, with its share of a machine's requests.
class Replicas {
 public:
  Replicas(const CapacityRun& run, const StepModel& step, const ServingMemory& memory)
      : run_(run),
        step_(step),
        memory_(memory),
        replica_(replica_options(step.deployment(), memory)) {
    replica_.cuts_prompts = step.deployment().attention_dp == 1;
  }

  [[nodiscard]] double count() const {
    return std::floor(static_cast<double>(run_.gpus) / step_.deployment().gpus());
  }
  /// Closed-form output tokens per second of all replicas, without latency limits.
  [[nodiscard]] double closed_tokens_per_s() const { return count() * run_.output * closed_rate(); }
  /// Output tokens per second of all replicas.
  [[nodiscard]] double tokens_per_s() const {
    const double most = all_at_once();
    return count() * run_.output * (run_.at_once ? most : largest_rate(most));
  }

 private:
  [[nodiscard]] std::vector<Request> requests(double rate, int count) const {
    const auto twice = [](double mean) { return static_cast<int>(std::lround(2 * mean)); };
    std::vector<Request> all = random_arrivals({.rate = rate,
                                                .requests = count,
                                                .input = twice(run_.input),
                                                .output = twice(run_.output),
                                                .spread = 1});
    if (run_.equal_answers)
      for (Request& one : all) one.output = static_cast<int>(std::lround(run_.output));
    if (run_.longest_answer > 0)
      for (Request& one : all) one.output = with_long_tail(one.output);
    return all;
  }
  /// Changes a length that was drawn evenly up to twice the mean into an exponential one: longer
  /// than x with probability exp(-x / mean), limited to the longest answer.
  [[nodiscard]] int with_long_tail(int drawn) const {
    const double below = std::min(drawn / (2 * run_.output), 1 - 1e-9);
    return std::max(1, static_cast<int>(std::lround(
                           std::min(run_.longest_answer, -run_.output * std::log1p(-below)))));
  }
  [[nodiscard]] ServiceResult serve(const std::vector<Request>& all) const {
    return run_service(
        all, {.replicas = 1, .copies = step_.deployment().attention_dp, .replica = replica_},
        [&](const StepBatch& batch) { return step_.time(batch).total(); });
  }

  /// Requests per second of one replica if all requests are present from the beginning.
  [[nodiscard]] double all_at_once() const {
    if (run_.queries > 0) return whole_run();
    const double held =
        step_.deployment().attention_dp *
        std::min<double>(replica_.max_sequences,
                         memory_.sequences(run_.input + run_.output / 2, replica_.block_tokens));
    std::vector<Request> all =
        requests(1, std::max(kLeastRequests, static_cast<int>(kRounds * held)));
    for (Request& one : all) one.arrival = 0;
    std::vector<double> ends;
    for (const Served& one : serve(all).requests)
      if (!one.shed) ends.push_back(one.last_token);
    if (ends.empty()) return 0;
    const double from = core::nearest_rank(ends, kFrom), to = core::nearest_rank(ends, kTo);
    return (kTo - kFrom) * static_cast<double>(ends.size()) / std::max(to - from, 1e-9);
  }

  /// The same for all queries of a run, until the last token of the longest answer.
  [[nodiscard]] double whole_run() const {
    const int share = static_cast<int>(std::ceil(run_.queries / count()));
    std::vector<Request> all = requests(1, share);
    for (Request& one : all) one.arrival = 0;
    const ServiceResult result = serve(all);
    return result.duration > 0 ? (share - result.shed) / result.duration : 0;
  }

  [[nodiscard]] bool meets(double rate) const {
    const ServiceResult result = serve(requests(
        rate, std::clamp(static_cast<int>(kSeconds * rate), kLeastRequests, kMostRequests)));
    return result.shed == 0 && result.ttft().p99 <= run_.ttft_limit &&
           result.tpot().p99 <= run_.tpot_limit;
  }

  [[nodiscard]] double closed_rate() const {
    return saturation(step_, memory_, {.input = run_.input, .output = run_.output}).rate;
  }

  /// Bisection to 2 %, up to `most`. 0 if even most / 50 misses the limits.
  [[nodiscard]] double largest_rate(double most) const {
    double high = most, low = 0;
    while (high - low > 0.02 * high && high > most / 50) {
      const double middle = (low + high) / 2;
      (meets(middle) ? low : high) = middle;
    }
    return low;
  }

  const CapacityRun& run_;
  const StepModel& step_;
  const ServingMemory& memory_;
  ReplicaOptions replica_;
};

/// A split with its closed-form throughput without limits.
struct Candidate {
  ServingMemory memory;
  StepModel step;
  double promise = 0;
};

/// Settings that submitters tune: tokens per step, and concurrent sequences per copy of attention.
struct Tuning {
  int token_budget = kTokenBudget, max_sequences = kMostSequences;
};

/// Settings to try. Without latency limits only the largest token budget is used, otherwise also
/// smaller ones (max_num_tokens of NVIDIA's configurations of v5.1: 768 to 12,000;
/// closed/NVIDIA/configs of mlcommons/inference_results_v5.1). A whole run, which ends with its
/// longest answers, can be faster with fewer sequences, because steps are shorter (gpu_batch_size
/// there: 512 for DeepSeek-R1).
std::vector<Tuning> tunings(const CapacityRun& run) {
  if (run.queries > 0)
    return {{.max_sequences = 256}, {.max_sequences = 512}, {.max_sequences = 1024}};
  if (run.at_once) return {{}};
  return {{}, {kTokenBudget / 2}, {kTokenBudget / 4}, {kTokenBudget / 8}};
}

/// Whether a split can run with its token budget. TensorRT-LLM does not cut prompts with
/// data-parallel attention (`enable_chunked_context` is False in these configurations), so the
/// longest prompt must fit into one step.
bool can_run(const CapacityRun& run, const Deployment& d) {
  return d.attention_dp == 1 || d.token_budget >= run.longest_prompt;
}

}  // namespace

CapacityRuns capacity_runs(const ServingMap& map, const std::vector<MeasuredRows>& tables) {
  MappedRows mapped = mapped_rows(map, {.model = "model", .machine = "accelerator"}, tables);
  CapacityRuns found;
  for (const MappedRow& row : mapped.rows) {
    CapacityRun run{.model = row.model,
                    .cluster = row.cluster,
                    .benchmark = row.text("model") + " " + row.text("scenario"),
                    .submitter = row.text("submitter"),
                    .machine = row.text("accelerator"),
                    .gpus = row.count("gpus"),
                    .input = row.number("input_tokens", 0),
                    .output = row.number("output_tokens_per_sample", 0),
                    .ttft_limit = row.number("ttft_limit_p99_ms", 0) / 1e3,
                    .tpot_limit = row.number("tpot_limit_p99_ms", 0) / 1e3,
                    .at_once = row.text("scenario") == "Offline",
                    .measured = row.number("result_tokens_per_s", 0)};
    run.equal_answers = row.is_second("answers", "spread", "equal");
    run.longest_answer = row.number("longest_answer", 0);
    run.longest_prompt = row.number("longest_prompt", 2 * run.input);
    run.queries = run.at_once ? static_cast<int>(row.number("queries", 0)) : 0;
    const NumberFormat weights = row.format("weights", NumberFormat::bf16);
    run.formats = {.attention = row.format("attention_format", weights),
                   .mlp = weights,
                   .experts = weights,
                   .kv = row.format("kv_format", NumberFormat::bf16)};
    run.has_experts = read_model(run.model).moe.has_value();
    const bool has_limits = run.at_once || (run.ttft_limit > 0 && run.tpot_limit > 0);
    if (run.input > 0 && run.output > 1 && run.measured > 0 && has_limits)
      found.runs.push_back(std::move(run));
    else
      ++mapped.left_out["no lengths, limits or result"];
  }
  found.left_out = mapped.reasons();
  return found;
}

PredictedCapacity predict_capacity(ServingPredictor& predictor, const CapacityRun& run,
                                   const EngineEfficiencies& with) {
  const PredictedMachine& at = predictor.machine(run.cluster);
  const Model& model = predictor.model(run.model);
  const Deployment base{.formats = run.formats,
                        .engine = Engine::trtllm,
                        .token_budget = kTokenBudget,
                        .max_sequences = kMostSequences};
  // Sorted by closed-form throughput, so that most of the later splits need no simulation.
  std::vector<Candidate> candidates;
  std::vector<Deployment> tried;
  for (const Tuning& tuning : tunings(run))
    for (Deployment split :
         splits({.model = model, .base = base, .most_pp = 2},
                {.cluster = run.cluster, .gpu = at.gpu, .fabric = at.fabric, .gpus = run.gpus})) {
      split.token_budget = tuning.token_budget;
      split.max_sequences = tuning.max_sequences;
      if (can_run(run, split)) tried.push_back(split);
    }
  for (const Deployment& split : tried) {
    Candidate one{.memory = serving_memory(model, at.gpu, split),
                  .step = StepModel({.model = model,
                                     .gpu = at.gpu,
                                     .fabric = at.fabric,
                                     .deployment = split,
                                     .efficiency = quantized_ahead(with.of(split.engine)),
                                     .tabulated_tokens = split.token_budget})};
    if (one.memory.sequences(2 * (run.input + run.output), split.block_tokens) < 1) continue;
    one.promise = Replicas(run, one.step, one.memory).closed_tokens_per_s();
    candidates.push_back(std::move(one));
  }
  std::ranges::stable_sort(candidates, std::greater<>(), &Candidate::promise);
  PredictedCapacity best;
  for (const Candidate& one : candidates) {
    if (kAboveClosedForm * one.promise <= best.tokens_per_s) break;
    const double tokens = Replicas(run, one.step, one.memory).tokens_per_s();
    if (tokens > best.tokens_per_s)
      best = {.tokens_per_s = tokens, .deployment = one.step.deployment()};
  }
  return best;
}

std::vector<PredictedCapacity> predict_capacities(ServingPredictor& predictor,
                                                  std::span<const CapacityRun> runs,
                                                  const EngineEfficiencies& with) {
  const auto question = [](const CapacityRun& r) {
    return std::tuple(r.model, r.cluster, r.gpus, static_cast<int>(r.formats.mlp), r.input,
                      r.output, r.ttft_limit, r.tpot_limit, r.at_once, r.equal_answers,
                      r.longest_answer, r.longest_prompt, r.queries);
  };
  std::map<decltype(question(runs.front())), PredictedCapacity> known;
  std::vector<PredictedCapacity> predicted;
  for (const CapacityRun& run : runs) {
    auto at = known.find(question(run));
    if (at == known.end())
      at = known.emplace(question(run), predict_capacity(predictor, run, with)).first;
    predicted.push_back(at->second);
  }
  return predicted;
}

}  // namespace railyard::placement::serving
