#include "apps/plan/train/train_request.hpp"

#include <fmt/format.h>

#include "apps/cli/flag_value.hpp"
#include "apps/place/place_engine.hpp"
#include "core/diagnostic.hpp"
#include "core/money.hpp"
#include "placement/capacity/read_price_list.hpp"
#include "placement/capacity/rents.hpp"
#include "placement/capacity/training/compute_optimal.hpp"
#include "placement/capacity/training/gpu_numbers.hpp"
#include "placement/capacity/training/training_cases.hpp"
#include "placement/model/model_job.hpp"
#include "placement/model/parameters.hpp"

namespace railyard::apps {
namespace {

/// The job of --job, or of --model.
placement::Job job_of(const TrainFlags& flags, Provenance& provenance) {
  if (flags.job.empty() && flags.model.empty())
    throw InputError("", "--model", "is missing", "--model llama3_70b, or --job FILE");
  if (!flags.job.empty()) {
    placement::Job job = placement::read_job(flags.job);
    if (flags.batch) job.batch = *flags.batch;
    if (flags.sequence) job.sequence = *flags.sequence;
    return job;
  }
  auto [job, note] = placement::job_of_model(flags.model, flags.batch, flags.sequence);
  if (!note.empty()) provenance.notes.push_back(std::move(note));
  return std::move(job);
}

double tokens_of(const TrainFlags& flags, const placement::Job& job, Provenance& provenance) {
  if (!flags.tokens.empty()) {
    const auto tokens = static_cast<double>(
        flag_value(core::parse_count(flags.tokens), "--tokens", "--tokens 15T"));
    if (flags.tokens.find_first_of("kKMGBTeE") == std::string::npos)
      throw InputError("", "--tokens", fmt::format("'{}' has no unit", flags.tokens),
                       "--tokens 300B or 15T");
    if (!(tokens > 0)) throw InputError("", "--tokens", "must be greater than 0", "--tokens 15T");
    return tokens;
  }
  if (job.tokens > 0) {
    provenance.notes.push_back(
        fmt::format("{} tokens, as in the job", core::count_text(job.tokens)));
    return job.tokens;
  }
  const auto active = static_cast<double>(placement::count_parameters(job.model).active);
  const double tokens = placement::compute_optimal_tokens(active);
  provenance.notes.push_back(fmt::format(
      "{} tokens: compute-optimal for {} active parameters, 20.2e9 (N / 1e9)^1.007 (Hoffmann et "
      "al., arXiv 2203.15556, approach 1); set them with --tokens",
      core::count_text(tokens), core::count_text(active)));
  return tokens;
}

void read_failures(const TrainFlags& flags, placement::TrainingPlanRequest& request,
                   Provenance& provenance) {
  if (flags.failures.ends_with(".csv")) {
    if (!flags.failure_rate.empty())
      throw InputError("", "--failure-rate", "does not apply to a trace of failures",
                       "leave it out");
    request.trace = std::make_shared<placement::FailureTrace>(
        placement::read_failure_trace(flags.failures, flags.trace_nodes.value_or(0)));
    request.training.trace = request.trace.get();
    provenance.notes.push_back(
        fmt::format("failures: {} faults on {} nodes in {:.0f} days are replayed",
                    request.trace->faults.size(), request.trace->nodes, request.trace->days));
    return;
  }
  if (flags.trace_nodes)
    throw InputError("", "--trace-nodes", "applies to a trace of failures",
                     "add --failures FILE.csv");
  request.training.failures = placement::read_failure_model(flags.failures);
  placement::override_rates(request.training.failures, flags.failure_rate, "--failure-rate");
  const placement::FailureModel& model = request.training.failures;
  provenance.notes.push_back(fmt::format("failures: rates of {} ({})", model.name, model.covers));
}

placement::CheckpointKind checkpoint_kind(const std::string& name) {
  if (name == "storage") return placement::CheckpointKind::storage;
  return name == "peers" ? placement::CheckpointKind::peers
                         : placement::CheckpointKind::asynchronous;
}

placement::NodeMissing node_missing(const std::string& name) {
  if (name == "wait") return placement::NodeMissing::wait;
  return name == "shrink" ? placement::NodeMissing::shrink : placement::NodeMissing::fastest;
}

placement::PlanLimits limits_of(const TrainFlags& flags, placement::Currency& currency) {
  placement::PlanLimits limits;
  if (!flags.deadline.empty()) {
    limits.days =
        flag_value(core::parse_duration(flags.deadline), "--deadline", "--deadline 60days").days();
    if (!(*limits.days > 0)) throw InputError("", "--deadline", "must be longer than 0", "60days");
  }
  if (!flags.budget.empty()) limits.budget = currency.amount(flags.budget, "--budget");
  if (limits.budget && !(*limits.budget > 0))
    throw InputError("", "--budget", "is 0", "--budget '$20M'");
  if (!flags.power_limit.empty())
    limits.power_MW =
        flag_value(core::parse_power(flags.power_limit), "--power-limit", "--power-limit 2MW")
            .watts() /
        1e6;
  return limits;
}

}  // namespace

placement::TrainingPlanRequest train_request(const TrainFlags& flags, Provenance& provenance) {
  placement::TrainingPlanRequest request{.job = job_of(flags, provenance)};
  placement::Currency currency;
  request.limits = limits_of(flags, currency);
  request.prices = placement::parse_rents(flags.price, flags.candidates, currency, "--price");
  placement::TrainingRequest& training = request.training;
  if (!flags.purchase.empty()) training.purchase = currency.amount(flags.purchase, "--purchase");
  training.currency = currency.name().empty() ? "USD" : currency.name();
  training.tokens = tokens_of(flags, request.job, provenance);
  training.assumed.set(flags.assume, "--assume");
  training.checkpoint = checkpoint_kind(flags.checkpoint);
  training.spares = flags.spares;
  training.node_missing = node_missing(flags.without_spare);
  if (!flags.interval.empty())
    training.interval = flag_value(core::parse_duration(flags.interval), "--checkpoint-interval",
                                   "--checkpoint-interval 20min");
  training.runs = {.runs = flags.runs, .seed = flags.seed, .threads = 1};
  read_failures(flags, request, provenance);
  request.candidates = flags.candidates;
  const std::vector<int> gpus =
      flags.gpus.empty() ? std::vector<int>() : placement::parse_gpu_numbers(flags.gpus, "--gpus");
  for (const std::string& candidate : flags.candidates)
    for (placement::TrainingCase& one : placement::training_cases(candidate, gpus))
      request.cases.push_back(std::move(one));
  request.parts_list = placement::read_price_list("network");
  request.verify = flags.verify;
  request.engines = engines_of("flow");
  if (flags.grey_failures)
    request.grey_runners = [](const placement::PlaceProblem& problem) {
      return workload_runner("flow", problem);
    };
  return request;
}

}  // namespace railyard::apps
