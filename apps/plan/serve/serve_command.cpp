#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <memory>
#include <numeric>
#include <ostream>
#include <sstream>

#include "apps/output/result_output.hpp"
#include "apps/place/place_engine.hpp"
#include "apps/plan/candidate_flags.hpp"
#include "apps/plan/plan_commands.hpp"
#include "apps/plan/serve/fabric_transfers.hpp"
#include "apps/plan/serve/serve_calibration.hpp"
#include "apps/plan/serve/serve_flags.hpp"
#include "apps/plan/serve/serve_rows.hpp"
#include "collectives/schedule/executor.hpp"
#include "core/config/enum_names.hpp"
#include "core/diagnostic.hpp"
#include "placement/measured/step_predictor.hpp"
#include "placement/serving/emit/engine_files.hpp"
#include "placement/serving/planner/plan_case.hpp"
#include "placement/serving/planner/serving_answer.hpp"
#include "placement/serving/service/request_trace.hpp"
#include "placement/serving/step/calibrated_efficiency.hpp"
#include "placement/serving/step/fabric_collectives.hpp"
#include "placement/serving/step/nccl_reductions.hpp"
#include "sim/trace.hpp"

namespace railyard::apps {
namespace {

using namespace placement::serving;

/// "50/s" or "300/min" in requests per second.
double rate_of(const std::string& text) {
  const std::size_t slash = text.find('/');
  double value = 0;
  const char* last = text.data() + std::min(slash, text.size());
  const auto [end, error] = std::from_chars(text.data(), last, value);
  const std::string unit = slash == std::string::npos ? "" : text.substr(slash + 1);
  if (error != std::errc() || end != last || !(value > 0) || (unit != "s" && unit != "min"))
    throw InputError("", "--rate", fmt::format("'{}' is not a rate of requests", text),
                     "50/s or 300/min");
  return unit == "s" ? value : value / 60;
}

double seconds_of(const std::string& text, const char* flag) {
  if (text.empty()) return 0;
  const auto time = core::parse_time(text);
  if (!time.value) throw InputError("", flag, time.error, "500ms");
  if (!(time.value->seconds() > 0)) throw InputError("", flag, "is 0", "500ms");
  return time.value->seconds();
}

NumberFormat format_of(const std::string& text) {
  if (text == "fp8") return NumberFormat::fp8;
  if (text == "int8") return NumberFormat::int8;
  if (text == "int4") return NumberFormat::int4;
  if (text == "nvfp4") return NumberFormat::nvfp4;
  return NumberFormat::bf16;
}

/// The values of --efficiency; none without the flag.
std::optional<StepEfficiency> efficiency_of(const ServeFlags& flags, Engine engine) {
  if (flags.efficiency.empty()) return std::nullopt;
  const CalibratedEfficiency file = read_calibrated_efficiency(flags.efficiency);
  if (file.engine != engine)
    throw InputError(
        flags.efficiency, "/engine",
        fmt::format("is {}, but --engine is {}", core::enum_name(file.engine), flags.engine),
        fmt::format("--engine {}", core::enum_name(file.engine)));
  return file.efficiency();
}

/// The requests of a file: a trace, or drawn from rates by window.
std::vector<Request> requests_of(const ServeFlags& flags) {
  const bool has_lengths = flags.input > 0 || flags.output > 0;
  if (!holds_rate_windows(flags.trace)) {
    if (has_lengths || flags.cv != 1)
      throw InputError("", "--trace", "gives lengths and arrivals itself",
                       "leave out --input, --output and --cv");
    if (!flags.pool.empty())
      throw InputError("", "--pool", "the trace has no pools", "leave it out");
    return read_request_trace(flags.trace);
  }
  if (flags.input == 0 || flags.output == 0 || flags.cv != 1)
    throw InputError("", "--trace", "gives rates and their variation, but no lengths",
                     "--input 2000 --output 300, without --cv");
  std::vector<Request> requests =
      changing_arrivals(read_rate_windows(flags.trace, flags.pool),
                        {.input = flags.input, .output = flags.output, .seed = flags.seed});
  if (requests.empty()) throw InputError(flags.trace, "", "there is no request in the trace", "");
  const double first = requests.front().arrival;
  for (Request& request : requests) request.arrival -= first;
  return requests;
}

/// The trace as it will arrive: with --rate its times are rescaled.
void use_trace(const ServeFlags& flags, ServingDemand& demand, Provenance& provenance) {
  demand.trace = requests_of(flags);
  const auto count = static_cast<double>(demand.trace.size());
  const double span = demand.trace.back().arrival;
  const double own = span > 0 ? (count - 1) / span : 0;
  if (demand.rate == 0 && own == 0)
    throw InputError(flags.trace, "", "all requests arrive at the same time", "--rate 50/s");
  if (demand.rate > 0 && own > 0) {
    for (Request& r : demand.trace) r.arrival *= own / demand.rate;
  } else if (demand.rate > 0) {
    draw_arrivals(demand.trace, {.rate = demand.rate, .seed = demand.seed});
    provenance.notes.push_back("the trace has no times: Poisson arrivals at --rate");
  } else if (demand.rate == 0) {
    demand.rate = own;
  }
  double input = 0, output = 0;
  for (const Request& r : demand.trace) {
    input += r.input;
    output += r.output;
  }
  demand.input = input / count;
  demand.output = output / count;
  const double largest = largest_cached_share(demand.trace);
  if (largest > 0) {
    if (flags.prefix_hits > 0)
      throw InputError("", "--prefix-hits", "the trace has the prefixes of its prompts itself",
                       "leave it out");
    demand.cached = largest;
    provenance.notes.push_back(
        fmt::format("{:.0f} % of the prompts' tokens repeat an earlier prefix; a cache of finite "
                    "size has fewer",
                    100 * largest));
  }
  provenance.notes.push_back(
      fmt::format("{} requests of the trace at {:.3g} per second: {:.0f} tokens in and {:.0f} out "
                  "on average",
                  demand.trace.size(), demand.rate, demand.input, demand.output));
}

ServingDemand demand_of(const ServeFlags& flags, Provenance& provenance) {
  ServingDemand demand{.rate = flags.rate.empty() ? 0 : rate_of(flags.rate),
                       .input = static_cast<double>(flags.input),
                       .output = static_cast<double>(flags.output),
                       .ttft = seconds_of(flags.ttft, "--ttft"),
                       .tpot = seconds_of(flags.tpot, "--tpot"),
                       .cv = flags.cv,
                       .seed = flags.seed,
                       .cached = flags.prefix_hits / 100};
  if (!flags.trace.empty()) {
    use_trace(flags, demand, provenance);
    return demand;
  }
  if (!flags.pool.empty()) throw InputError("", "--pool", "there is no trace", "--trace FILE");
  if (demand.rate == 0)
    throw InputError("", "--rate", "is missing", "--rate 50/s, or --trace FILE");
  if (flags.input == 0) throw InputError("", "--input", "is missing", "--input 2000");
  if (flags.output == 0) throw InputError("", "--output", "is missing", "--output 300");
  return demand;
}

/// Collectives between the nodes of a cluster, which the result keeps: all-reduces by NCCL's fitted
/// times, exchanges of experts by the flow engine. Both begin with the first call: most plans ask
/// for none.
class ClusterExchanges final : public placement::CommunicationModel {
 public:
  ClusterExchanges(std::shared_ptr<const topology::Cluster> cluster, std::string name)
      : cluster_(std::move(cluster)), name_(std::move(name)) {}
  [[nodiscard]] Time time(const placement::GroupCollective& collective) const override {
    if (collective.kind == collectives::Kind::all_reduce) {
      if (!reductions_)
        reductions_ = std::make_unique<NcclReductions>(cluster_, topology::read_timings(name_));
      return reductions_->time(collective);
    }
    if (!engine_) engine_ = std::make_unique<FabricCollectives>(engine_on(*cluster_, "flow"));
    return engine_->time(collective);
  }

 private:
  std::shared_ptr<const topology::Cluster> cluster_;
  std::string name_;
  mutable std::unique_ptr<FabricCollectives> engine_{};
  mutable std::unique_ptr<NcclReductions> reductions_{};
};

std::vector<ServingCandidate> candidates_of(const ServeFlags& flags, Currency& currency,
                                            Provenance& provenance) {
  std::vector<ServingCandidate> candidates;
  const std::map<std::string, double> rents = rents_of(flags.price, flags.candidates, currency);
  placement::StepPredictor machines;
  for (const std::string& name : flags.candidates) {
    const placement::PredictedMachine& machine = machines.machine(name);
    const auto cluster = std::make_shared<const topology::Cluster>(
        topology::build_cluster(topology::read_cluster(name)));
    const int all = static_cast<int>(cluster->rank_count());
    if (flags.gpus > all)
      throw InputError("", "--gpus", fmt::format("{} has {} GPUs", name, all), "at most that");
    ServingCandidate one{.cluster = name,
                         .gpu = machine.gpu,
                         .fabric = machine.fabric,
                         .gpus = flags.gpus > 0 ? flags.gpus : all,
                         .cluster_gpus = all,
                         .between_nodes = std::make_shared<ClusterExchanges>(cluster, name),
                         .network = [cluster](const PoolLayout& layout) {
                           return std::make_unique<FabricTransfers>(*cluster, layout);
                         }};
    if (const auto rent = rents.find(name); rent != rents.end()) {
      one.price_per_hour = rent->second;
    } else if (machine.gpu.price && flags.calibrate.empty()) {
      one.price_per_hour =
          currency.amount(machine.gpu.price->per_hour, machine.gpu.price->currency,
                          fmt::format("the price in the config of {}", machine.gpu.gpu.name));
      provenance.notes.push_back(fmt::format(
          "price of {}: {:.3g} {} per GPU-hour, an example from its config; set yours with --price",
          machine.gpu.gpu.name, one.price_per_hour, machine.gpu.price->currency));
    }
    candidates.push_back(std::move(one));
  }
  return candidates;
}

RouterPolicy router_of(const std::string& text) {
  if (text == "round_robin") return RouterPolicy::round_robin;
  return text == "prefix_aware" ? RouterPolicy::prefix_aware : RouterPolicy::least_requests;
}

Speculation speculation_of(const ServeFlags& flags) {
  if (flags.draft_tokens == 0 && flags.acceptance > 0)
    throw InputError("", "--acceptance", "nothing is drafted", "with --draft-tokens 3");
  if (flags.draft_tokens == 0 && !flags.draft_model.empty())
    throw InputError("", "--draft-model", "nothing is drafted", "with --draft-tokens 3");
  if (flags.draft_tokens > 0 && flags.acceptance == 0)
    throw InputError("", "--acceptance", "is missing beside --draft-tokens", "--acceptance 0.7");
  return {.tokens = flags.draft_tokens, .acceptance = flags.acceptance};
}

double swap_bytes_of(const ServeFlags& flags) {
  if (flags.swap_space.empty()) return 0;
  const auto bytes = core::parse_bytes(flags.swap_space);
  if (!bytes.value) throw InputError("", "--swap-space", bytes.error, "16GiB");
  return static_cast<double>(bytes.value->count());
}

Autoscale autoscale_of(const ServeFlags& flags) {
  if (flags.autoscale == 0) {
    if (flags.scale_target > 0)
      throw InputError("", "--scale-target", "nothing is scaled", "with --autoscale 1");
    if (!flags.startup.empty())
      throw InputError("", "--startup", "nothing is scaled", "with --autoscale 1");
    return {};
  }
  if (flags.trace.empty())
    throw InputError("", "--autoscale", "a constant rate needs a constant number of replicas",
                     "with --trace FILE");
  if (flags.disaggregate)
    throw InputError("", "--autoscale", "pools for prompts and decoding are not scaled",
                     "without --disaggregate");
  if (flags.scale_target == 0)
    throw InputError("", "--scale-target", "is missing beside --autoscale", "--scale-target 64");
  Autoscale scale{.least = flags.autoscale, .target = static_cast<double>(flags.scale_target)};
  if (!flags.startup.empty()) scale.startup = seconds_of(flags.startup, "--startup");
  return scale;
}

/// Limits the splits to those of flags; refuses values that no candidate can have.
void set_splits(const ServeFlags& flags, ServingPlanRequest& request) {
  request.only_tp = flags.tp;
  request.only_ep = flags.ep;
  request.redundant_experts = flags.redundant_experts;
  const placement::Model& model = request.model;
  const bool has_wide = std::ranges::any_of(flags.ep, [](int ep) { return ep > 1; });
  if (!model.moe && has_wide)
    throw InputError("", "--ep", model.name + " has no experts", "leave it out");
  if (!model.moe && flags.redundant_experts)
    throw InputError("", "--redundant-experts", model.name + " has no experts", "leave it out");
  for (const int tp : flags.tp)
    if (model.heads % tp != 0 || (tp & (tp - 1)) != 0)
      throw InputError("", "--tp", fmt::format("{} does not divide {} heads", tp, model.heads),
                       "a power of two up to the GPUs of a node");
  for (const int ep : flags.ep) {
    ServingPlanRequest one = request;
    one.only_ep = {ep};
    if (std::ranges::any_of(one.candidates, [&](const ServingCandidate& candidate) {
          return !splits(one, candidate).empty();
        }))
      continue;
    throw InputError("", "--ep", why_no_split(one, ep), "--ep 32, without --tp");
  }
  for (const ServingCandidate& candidate : request.candidates)
    if (splits(request, candidate).empty())
      throw InputError("", flags.tp.empty() ? "--ep" : "--tp",
                       fmt::format("no split of {} on {} GPUs of {} fits these values", model.name,
                                   candidate.gpus, candidate.cluster),
                       "leave out --tp or --ep, or more --gpus");
}

void write_engine_files(const ServeFlags& flags, const ServingOption& best,
                        const ServingCandidate& candidate, Context& context) {
  std::error_code failed;
  std::filesystem::create_directories(flags.emit, failed);
  if (failed)
    throw InputError("", "--emit", fmt::format("cannot make {}: {}", flags.emit, failed.message()),
                     "a folder");
  const auto name = [](const std::string& model) {
    return std::filesystem::path(model).stem().string();
  };
  std::string written;
  for (const EngineFile& file : engine_files(best, name(flags.model), name(flags.draft_model),
                                             static_cast<int>(candidate.fabric.gpus_per_node))) {
    const auto path = std::filesystem::path(flags.emit) / file.name;
    write_text(file.text, path.string(), context);
    if (file.name.ends_with(".sh"))
      std::filesystem::permissions(path, std::filesystem::perms::owner_exec,
                                   std::filesystem::perm_options::add);
    written += (written.empty() ? "" : ", ") + file.name;
  }
  print_note(context, fmt::format("{}: {}", flags.emit, written));
}

/// Files of flags that only this command has; at most one result goes to standard output.
void check_own_output(const ServeFlags& flags) {
  bool is_taken = flags.out.json == "-" || flags.out.csv == "-";
  for (const auto& [flag, file] :
       {std::pair{"--requests", &flags.requests}, std::pair{"--timeline", &flags.timeline},
        std::pair{"--step-trace", &flags.step_trace}, std::pair{"--calibrate", &flags.calibrate}}) {
    check_output_file(flag, *file);
    if (*file != "-") continue;
    if (is_taken)
      throw InputError("", flag, "goes to standard output, as another flag does",
                       fmt::format("{} FILE", flag));
    is_taken = true;
  }
}

/// A step as a span of its replica: "12 decodes, 2 prompts (2,048 tokens), 3 waiting".
collectives::TimelineEvent span_of(const StepRecord& step, const ServingOption& option) {
  const auto prompts = static_cast<std::size_t>(option.prefill ? option.prefill_replicas : 0);
  const bool is_prompts = step.replica < prompts;
  std::string name;
  const auto add = [&](double count, const char* what, const std::string& more = {}) {
    if (count > 0)
      name += fmt::format("{}{:.0f} {}{}{}", name.empty() ? "" : ", ", count, what,
                          count == 1 ? "" : "s", more);
  };
  add(step.batch.decodes, "decode");
  add(step.batch.prompts, "prompt", fmt::format(" ({:.0f} tokens)", step.batch.prompt_tokens));
  if (step.waiting > 0) name += fmt::format(", {} waiting", step.waiting);
  return {.track = fmt::format("{} / replica {}", is_prompts ? "prompts" : "replicas",
                               is_prompts ? step.replica : step.replica - prompts),
          .name = name,
          .begin = Time::from_seconds(step.begin),
          .end = Time::from_seconds(step.end),
          .bytes = {}};
}

/// What a run of the first deployment shows: its requests, their timeline, and steps as spans.
struct ServedRun {
  std::vector<Served> requests{};
  std::vector<TimelinePoint> timeline{};
  std::vector<collectives::TimelineEvent> spans{};
};

ServedRun run_first(const ServeFlags& flags, const ServingPlanRequest& request,
                    const ServingOption& option) {
  ServedRun run;
  ServiceTimeline timeline(request, option);
  run.requests = served_requests(request, option, [&](const StepRecord& step) {
    timeline.add(step);
    if (!flags.step_trace.empty()) run.spans.push_back(span_of(step, option));
  });
  run.timeline = timeline.points();
  return run;
}

int run_serve(const ServeFlags& flags, Context& context) {
  check_output(flags.out);
  check_own_output(flags);
  if (!flags.calibrate.empty()) check_calibration_flags(flags);
  Provenance provenance{.command = context.command, .facts = {}, .configs = {}, .seed = flags.seed};
  const placement::Model model = placement::read_model(flags.model);
  if (model.encoder || !model.towers.empty())
    throw InputError("", "--model", model.name + " is not a decoder alone",
                     "a model without towers and encoder");
  ServingPlanRequest request{.model = model, .demand = demand_of(flags, provenance)};
  Currency money;
  request.candidates = candidates_of(flags, money, provenance);
  const std::string& currency = money.name();
  const NumberFormat weights = format_of(flags.weights);
  request.base = {.formats = {.attention = weights, .mlp = weights, .experts = weights},
                  .engine = *core::parse_enum<Engine>(flags.engine).value,
                  .graphs = !flags.no_graphs,
                  .token_budget = flags.token_budget,
                  .max_sequences = flags.max_sequences,
                  .speculation = speculation_of(flags),
                  .swap_bytes = swap_bytes_of(flags)};
  request.autoscale = autoscale_of(flags);
  const std::optional<placement::Model> draft =
      flags.draft_model.empty() ? std::nullopt
                                : std::optional(placement::read_model(flags.draft_model));
  if (draft) request.draft = &*draft;
  request.router = router_of(flags.router);
  request.disaggregate = flags.disaggregate;
  if (!flags.kv.empty()) request.base.formats.kv = format_of(flags.kv);
  request.most_pp = flags.pp;
  set_splits(flags, request);
  request.efficiency = efficiency_of(flags, request.base.engine);
  if (request.efficiency) provenance.facts.emplace_back("efficiency", flags.efficiency);
  if (!flags.calibrate.empty()) return run_calibration(flags, request, provenance, context);
  if (flags.margin) request.margin = *flags.margin / 100;
  const ServingPlan plan = plan_serving(request);
  if (plan.options.empty())
    throw InputError("", "--candidates",
                     "no candidate can serve this traffic: " + plan.refused.front().why,
                     "other clusters, more GPUs, or a smaller format of the weights");
  const ServingOption& best = plan.options.front();
  const auto candidate =
      std::ranges::find(request.candidates, best.cluster, &ServingCandidate::cluster);
  provenance.facts.emplace_back("model", model.name);
  if (!currency.empty()) provenance.facts.emplace_back("currency", currency);
  for (const ServingCandidate& one : request.candidates)
    if (!request.efficiency && !has_measured_serving(one.gpu))
      provenance.notes.push_back(fmt::format(
          "no measured run of an engine on {}: its range is that of GPUs that the fit did not see",
          one.gpu.gpu.name));
  ResultDocument document{
      .kind = "plan_serve",
      .provenance = provenance,
      .answers = {answer_of(best, request.demand, currency)},
      .rows = tabulate_serving(plan.options),
      .sections = {{"pareto", tabulate_pareto(pareto_points(request, *candidate))},
                   {"refused", tabulate_refused(plan.refused)}}};
  const bool has_times = std::ranges::any_of(request.demand.trace, [](const Request& r) {
    return r.measured_ttft > 0 || r.measured_tpot > 0;
  });
  // The curves of a report page; tables print none of them.
  const bool has_curves = !flags.out.json.empty();
  ServedRun run;
  if (has_times || has_curves || !flags.requests.empty() || !flags.timeline.empty() ||
      !flags.step_trace.empty())
    run = run_first(flags, request, best);
  if (has_curves) {
    document.sections.push_back(
        {"load_sweep", tabulate_load_sweep(load_sweep(request, best)), false});
    document.sections.push_back(
        {"latency", tabulate_latency(latency_quantiles(run.requests)), false});
    document.sections.push_back({"steps", tabulate_steps(step_parts(request, best)), false});
    document.sections.push_back({"timeline", tabulate_timeline(run.timeline), false});
  }
  const auto comparison = compare_with_trace(request.demand.trace, run.requests);
  if (!comparison.empty())
    document.sections.push_back({"measured", tabulate_comparison(comparison)});
  const bool has_output = flags.requests == "-" || flags.timeline == "-" || flags.step_trace == "-";
  write_result(document, flags.out, context, has_output ? Table::no : Table::yes);
  for (const std::string& note : provenance.notes) print_note(context, note);
  const auto write_rows = [&](const RowTable& table, const std::string& file) {
    if (file.empty()) return;
    std::ostringstream rows;
    write_csv(table, rows);
    write_text(rows.str(), file, context);
  };
  write_rows(tabulate_requests(run.requests), flags.requests);
  write_rows(tabulate_timeline(run.timeline), flags.timeline);
  if (!flags.step_trace.empty()) {
    std::ostringstream trace;
    const std::size_t left_out = sim::write_trace(trace, run.spans, {});
    write_text(trace.str(), flags.step_trace, context);
    if (left_out > 0)
      print_note(context, fmt::format("--step-trace: the {} shortest of {} steps were left out",
                                      left_out, run.spans.size()));
  }
  if (!flags.emit.empty()) write_engine_files(flags, best, *candidate, context);
  return best.meets ? ExitCode::done : ExitCode::finding;
}

}  // namespace

RunCommand add_plan_serve(FlagSet app) {
  const auto flags = std::make_shared<ServeFlags>();
  add_serve_flags(app, *flags);
  return [flags](Context& context) { return run_serve(*flags, context); };
}

}  // namespace railyard::apps
