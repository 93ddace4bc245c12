#include "placement/capacity/training/training_option.hpp"

#include <algorithm>
#include <cmath>

#include "placement/capacity/goodput/exact_goodput.hpp"

namespace railyard::placement {
namespace {

constexpr double kSecondsPerDay = 86'400, kSecondsPerHour = 3600, kMegawattHour = 1000;  // kWh

double mean_repair(const RepairTime& repair) {
  return (repair.mean ? std::max(*repair.mean, repair.median) : repair.median).seconds();
}

/// Training time in seconds without failures.
double training_seconds(const TrainingRequest& request, const Job& job, const Scored& scored) {
  return request.tokens / scored.tokens_per_s(job);
}

/// With several types every GPU waits for the slowest type that the strategy uses.
CheckpointCost checkpoint_of(const PlaceProblem& problem, const Strategy& strategy,
                             const CheckpointStore& store) {
  const CostContext context = problem.context();
  const std::vector<int> used = gpus_used(strategy, problem.types.size());
  CheckpointCost slowest;
  for (std::size_t t = 0; t < used.size(); ++t) {
    if (used[t] == 0) continue;
    const CheckpointCost one =
        checkpoint_cost(context.types[t], strategy, problem.types[t].fabric.nics, store);
    slowest = {.bytes = one.bytes,
               .stall = std::max(slowest.stall, one.stall),
               .write = std::max(slowest.write, one.write),
               .load = std::max(slowest.load, one.load)};
  }
  return slowest;
}

/// Names of the types that the strategy uses: "A100-80GB + H800".
std::string gpu_names(const PlaceProblem& problem, const Strategy& strategy) {
  const std::vector<int> used = gpus_used(strategy, problem.types.size());
  std::string names;
  for (std::size_t t = 0; t < used.size(); ++t)
    if (used[t] > 0) names += (names.empty() ? "" : " + ") + problem.types[t].gpu.gpu.name;
  return names;
}

/// Repair time of a node; for a trace the mean over its faults.
RepairTime repair_of(const TrainingRequest& request) {
  if (request.trace == nullptr) return request.failures.repair;
  double days = 0;
  for (const TraceFault& fault : request.trace->faults) days += fault.end_day - fault.start_day;
  const auto count = static_cast<double>(std::max<std::size_t>(1, request.trace->faults.size()));
  return {.median = Duration::from_seconds(days * kSecondsPerDay / count), .mean = {}};
}

/// Totals of a training with the assumptions at one end of their ranges.
struct Totals {
  double days = 0, energy = 0, carbon = 0;
  std::optional<double> cost{}, own{};
  double electricity = 0;  ///< the part of `own` for electricity
};

class TotalsCalculator {
 public:
  TotalsCalculator(const TrainingRequest& request, const PlaceProblem& problem,
                   const ClusterParts& parts, const Scored& scored, std::optional<double> price)
      : request_(request), problem_(problem), parts_(parts), scored_(scored), price_(price) {}

  [[nodiscard]] Totals totals(RangeEnd end, const RunSetup& setup,
                              const GoodputEstimate& found) const {
    const int spare_gpus = setup.spares * parts_.gpus_per_node();
    const PowerParts power = power_at(end, spare_gpus);
    const double hours = found.elapsed.mean / kSecondsPerHour;
    double down = 0;
    for (const CauseWaste& cause : found.causes)
      down += cause.detection + cause.restart + cause.waiting;
    down /= kSecondsPerHour;
    const double gpu_hours = (scored_.strategy.gpus() + spare_gpus) * hours;
    Totals totals{.days = hours / 24, .energy = power.mean * (hours - down) + power.waiting * down};
    totals.carbon = totals.energy * request_.assumed.at("carbon", end);  // MWh · kg/kWh = t
    if (price_) totals.cost = gpu_hours * *price_;
    if (request_.purchase) {
      totals.electricity = totals.energy * kMegawattHour * request_.assumed.at("electricity", end);
      totals.own = gpu_hours * hourly_cost(owned(end)) + totals.electricity;
    }
    return totals;
  }

  [[nodiscard]] PowerParts power_at(RangeEnd end, int spare_gpus) const {
    std::vector<Rates> rates;
    for (const GpuType& type : problem_.types)
      rates.push_back(power_rates(type.gpu, parts_, request_.assumed, end));
    return power_parts(scored_, rates, spare_gpus, parts_, request_.assumed, end);
  }

  [[nodiscard]] Ownership owned(RangeEnd end) const {
    return {.price = request_.purchase.value_or(0),
            .years = request_.assumed.at("life", end),
            .interest = request_.assumed.at("interest", end),
            .use = request_.assumed.at("use", end)};
  }

 private:
  const TrainingRequest& request_;
  const PlaceProblem& problem_;
  const ClusterParts& parts_;
  const Scored& scored_;
  std::optional<double> price_;
};

/// The rent of the job's GPUs, divided in proportion to their time, and the rent of the spares.
std::vector<CostPart> rent_parts(const TrainingOption& option, const GoodputEstimate& goodput,
                                 double rent, double spare_share) {
  const double of_job = rent * (1 - spare_share);
  const auto part = [&](double seconds) { return of_job * seconds / goodput.elapsed.mean; };
  double failures = 0, slow = 0;
  for (const CauseWaste& cause : goodput.causes) {
    failures += cause.total() - cause.slow;
    slow += cause.slow;
  }
  const PhaseShares shares = phase_shares(option.best);
  const double training = part(goodput.training());
  std::vector<CostPart> parts{{"training, compute", training * shares.compute},
                              {"training, exposed communication", training * shares.communication},
                              {"training, idle", training * shares.idle},
                              {"checkpoints", part(goodput.checkpoint)},
                              {"failures: lost, detection, restart, waiting", part(failures)},
                              {"slower training", part(slow)},
                              {"spare GPUs", rent * spare_share}};
  std::erase_if(parts, [](const CostPart& one) { return !(one.cost > 0); });
  parts.push_back({"rent", rent});
  return parts;
}

/// The strategy without a node, if it could shorten the training noticeably. Without shrinking the
/// job waits for the fraction `waiting` of its time; at speed v it loses (1 - v) of this.
ShrunkStrategy worthwhile_shrinking(const TrainingRequest& request, const OptionCase& one,
                                    const GoodputEstimate& without) {
  constexpr double kWorthwhile = 0.001;
  // A search over several types of GPU takes about a hundred times as long.
  const double worth_a_search = one.problem.types.size() > 1 ? 0.01 : kWorthwhile;
  if (request.node_missing == NodeMissing::wait) return {};
  double waiting = 0;
  for (const CauseWaste& cause : without.causes) waiting += cause.waiting;
  waiting /= without.elapsed.mean;
  if (waiting < kWorthwhile) return {};
  const auto find = [&](ShrunkSearch how) { return shrunk_strategy(one.problem, one.scored, how); };
  const ShrunkStrategy same = find(ShrunkSearch::same_split);
  if (waiting * (1 - same.speed) < worth_a_search) return same;
  return find(ShrunkSearch::elastic);
}

Ranged ranged(double value, double better, double worse) {
  return {value, std::min(better, value), std::max(worse, value)};
}

std::optional<Ranged> ranged(const std::optional<double>& value,
                             const std::optional<double>& better,
                             const std::optional<double>& worse) {
  if (!value) return std::nullopt;
  return ranged(*value, *better, *worse);
}

}  // namespace

int spare_nodes(const FailureModel& failures, const ComponentCounts& counts) {
  double out = 0;  // mean number of nodes under repair
  for (const FailureCause& cause : failures.causes) {
    if (cause.keeps_node || cause.caused_by_job) continue;
    FailureModel one = failures;
    one.causes = {cause};
    out += interruption_rate(one, counts, Covered::lasting) *
           mean_repair(cause.repair.value_or(failures.repair));
  }
  double term = std::exp(-out), sum = term;
  int spares = 0;
  while (sum < 0.95 && spares < counts.nodes) {
    ++spares;
    term *= out / spares;
    sum += term;
  }
  return spares;
}

RunSetup run_setup(const TrainingRequest& request, const OptionCase& one, RangeEnd end) {
  const auto& [problem, parts, scored, grey, shrunk] = one;
  const Assumptions& assumed = request.assumed;
  constexpr double kGigabyte = 1e9;
  RunSetup setup{.failures = request.failures, .trace = request.trace};
  setup.counts = component_counts(parts, scored.strategy.gpus());
  setup.nodes = static_cast<int>(setup.counts.nodes);
  setup.grey = grey_processes(grey, setup.counts, assumed, end, repair_of(request));
  setup.spares = request.spares.value_or(
      request.trace == nullptr ? spare_nodes(request.failures, setup.counts)
                               : std::min(request.trace->nodes - setup.nodes, setup.nodes / 10));
  setup.work = training_seconds(request, problem.job, scored);
  // A job that rarely has all its nodes would run almost forever.
  constexpr double kLongest = 4;
  setup.horizon = kLongest * setup.work;
  const CheckpointCost cost = checkpoint_of(problem, scored.strategy,
                                            {.kind = request.checkpoint,
                                             .write = assumed.at("storage_write", end) * kGigabyte,
                                             .read = assumed.at("storage_read", end) * kGigabyte});
  setup.recovery = {
      .detection = assumed.at("detection", end),
      .restart = assumed.at("reschedule", end) + assumed.at("warm_up", end) + cost.load};
  const double best = optimal_interval(cost.stall, mean_time_to_failure(setup));
  const double interval =
      request.interval ? request.interval->seconds() : std::min(best, kSecondsPerDay);
  // A checkpoint must be written before the next one begins, and cannot interrupt a step.
  setup.checkpoint = {.interval = std::max({interval, cost.write, scored.step.total.seconds()}),
                      .stall = cost.stall,
                      .write = cost.write};
  setup.shrunk = shrunk_speeds(shrunk, setup.nodes, parts.gpus_per_node());
  setup.node_missing = request.node_missing;
  return setup;
}

TrainingOption training_option(const TrainingRequest& request, const OptionCase& one,
                               std::optional<double> price) {
  const PlaceProblem& problem = one.problem;
  const ClusterParts& parts = one.parts;
  const Scored& scored = one.scored;
  const CostContext context = problem.context();
  RunSetup setup = run_setup(request, one, RangeEnd::value);
  TrainingOption option{.gpu = gpu_names(problem, scored.strategy),
                        .gpus = scored.strategy.gpus(),
                        .nodes = setup.nodes,
                        .spares = setup.spares,
                        .best = scored,
                        .tokens_per_s = scored.tokens_per_s(problem.job),
                        .tflops_per_gpu = flops_per_gpu(problem.job, scored) / 1e12,
                        .mfu = mfu(context, scored),
                        .bound_by = bound_by(context, scored)};
  option.training_days = setup.work / kSecondsPerDay;
  option.mean_time_to_failure_h =
      (request.trace == nullptr ? mean_time_to_failure(request.failures, setup.counts)
                                : mean_time_to_failure(setup)) /
      kSecondsPerHour;
  if (request.trace == nullptr)
    option.hardware_time_to_failure_h =
        mean_time_to_failure(request.failures, setup.counts, Covered::hardware) / kSecondsPerHour;
  option.checkpoint = {.bytes = checkpoint_bytes(problem.job),
                       .stall = setup.checkpoint.stall,
                       .write = setup.checkpoint.write,
                       .load = setup.recovery.restart - request.assumed.at("reschedule") -
                               request.assumed.at("warm_up")};
  option.interval_s = setup.checkpoint.interval;
  option.goodput = simulate_goodput(setup, request.runs);
  option.grey.assign(one.grey.begin(), one.grey.end());
  option.shrunk = worthwhile_shrinking(request, one, option.goodput);
  OptionCase with = one;
  with.shrunk = option.shrunk;
  if (option.shrunk.exists()) {
    setup = run_setup(request, with, RangeEnd::value);
    option.goodput = simulate_goodput(setup, request.runs);
  }
  const TotalsCalculator of(request, problem, parts, scored, price);
  const Totals value = of.totals(RangeEnd::value, setup, option.goodput);
  const auto at_end = [&](RangeEnd end) {
    const RunSetup there = run_setup(request, with, end);
    return of.totals(end, there, simulate_goodput(there, request.runs));
  };
  const Totals better = at_end(RangeEnd::better), worse = at_end(RangeEnd::worse);
  option.days = ranged(value.days, better.days, worse.days);
  option.energy_MWh = ranged(value.energy, better.energy, worse.energy);
  option.carbon_t = ranged(value.carbon, better.carbon, worse.carbon);
  option.cost = ranged(value.cost, better.cost, worse.cost);
  option.own_cost = ranged(value.own, better.own, worse.own);
  const int spare_gpus = setup.spares * parts.gpus_per_node();
  option.power = of.power_at(RangeEnd::value, spare_gpus);
  if (option.cost) option.cost_per_million_tokens = option.cost->value / request.tokens * 1e6;
  if (value.cost)
    option.cost_parts = rent_parts(option, option.goodput, *value.cost,
                                   static_cast<double>(spare_gpus) / (option.gpus + spare_gpus));
  if (value.own) {
    option.cost_parts.push_back({"capital", *value.own - value.electricity});
    option.cost_parts.push_back({"electricity", value.electricity});
    option.cost_parts.push_back({"bought", *value.own});
  }
  if (price && request.purchase) {
    const double running = option.power.mean * kMegawattHour / (option.gpus + spare_gpus) *
                           request.assumed.at("electricity");
    option.break_even_years = break_even_years(of.owned(RangeEnd::value), *price, running);
  }
  return option;
}

}  // namespace railyard::placement
