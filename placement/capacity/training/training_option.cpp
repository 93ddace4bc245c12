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

/// Steps to the tokens, in seconds without failures.
double training_seconds(const TrainingRequest& request, const Job& job, const Scored& scored) {
  return request.tokens / scored.tokens_per_s(job);
}

double mean_time(const TrainingRequest& request, const ComponentCounts& counts) {
  if (request.trace == nullptr) return mean_time_to_failure(request.failures, counts);
  const FailureTrace& trace = *request.trace;
  return trace.days * kSecondsPerDay * trace.nodes /
         (static_cast<double>(trace.faults.size()) * counts.nodes);
}

/// What a training takes with the assumptions at one end.
struct Totals {
  double days = 0, energy = 0, carbon = 0;
  std::optional<double> cost{}, own{};
};

class Totalling {
 public:
  Totalling(const TrainingRequest& request, const PlaceProblem& problem, const ClusterParts& parts,
            const Scored& scored, std::optional<double> price)
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
    if (request_.purchase)
      totals.own = gpu_hours * hourly_cost(owned(end)) +
                   totals.energy * kMegawattHour * request_.assumed.at("electricity", end);
    return totals;
  }

  [[nodiscard]] PowerParts power_at(RangeEnd end, int spare_gpus) const {
    const Rates rates = power_rates(problem_.types.front().gpu, parts_, request_.assumed, end);
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
    out += interruption_rate(one, counts) * mean_repair(cause.repair.value_or(failures.repair));
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

RunSetup run_setup(const TrainingRequest& request, const PlaceProblem& problem,
                   const ClusterParts& parts, const Scored& scored, RangeEnd end) {
  const Assumptions& assumed = request.assumed;
  constexpr double kGigabyte = 1e9;
  RunSetup setup{.failures = request.failures, .trace = request.trace};
  setup.counts = component_counts(parts, scored.strategy.gpus());
  setup.nodes = static_cast<int>(setup.counts.nodes);
  setup.spares = request.spares.value_or(
      request.trace == nullptr ? spare_nodes(request.failures, setup.counts)
                               : std::min(request.trace->nodes - setup.nodes, setup.nodes / 10));
  setup.work = training_seconds(request, problem.job, scored);
  // A job that hardly ever has all its nodes would run forever.
  constexpr double kLongest = 4;
  setup.horizon = kLongest * setup.work;
  const CostContext context = problem.context();
  const CheckpointCost cost =
      checkpoint_cost(context.on(0), scored.strategy, problem.types.front().fabric.nics,
                      {.kind = request.checkpoint,
                       .write = assumed.at("storage_write", end) * kGigabyte,
                       .read = assumed.at("storage_read", end) * kGigabyte});
  setup.recovery = {
      .detection = assumed.at("detection", end),
      .restart = assumed.at("reschedule", end) + assumed.at("warm_up", end) + cost.load};
  const double best = optimal_interval(cost.stall, mean_time(request, setup.counts));
  const double interval =
      request.interval ? request.interval->seconds() : std::min(best, kSecondsPerDay);
  // A checkpoint must be written before the next begins; steps are not cut.
  setup.checkpoint = {.interval = std::max({interval, cost.write, scored.step.total.seconds()}),
                      .stall = cost.stall,
                      .write = cost.write};
  return setup;
}

TrainingOption training_option(const TrainingRequest& request, const PlaceProblem& problem,
                               const ClusterParts& parts, const Scored& scored,
                               std::optional<double> price) {
  const CostContext context = problem.context();
  const RunSetup setup = run_setup(request, problem, parts, scored, RangeEnd::value);
  TrainingOption option{.gpu = problem.types.front().gpu.gpu.name,
                        .gpus = scored.strategy.gpus(),
                        .nodes = setup.nodes,
                        .spares = setup.spares,
                        .best = scored,
                        .tokens_per_s = scored.tokens_per_s(problem.job),
                        .tflops_per_gpu = flops_per_gpu(problem.job, scored) / 1e12,
                        .mfu = mfu(context, scored),
                        .bound_by = bound_by(context, scored)};
  option.training_days = setup.work / kSecondsPerDay;
  option.mean_time_to_failure_h = mean_time(request, setup.counts) / kSecondsPerHour;
  option.checkpoint = {.bytes = checkpoint_bytes(problem.job),
                       .stall = setup.checkpoint.stall,
                       .write = setup.checkpoint.write,
                       .load = setup.recovery.restart - request.assumed.at("reschedule") -
                               request.assumed.at("warm_up")};
  option.interval_s = setup.checkpoint.interval;
  option.goodput = simulate_goodput(setup, request.runs);
  const Totalling of(request, problem, parts, scored, price);
  const Totals value = of.totals(RangeEnd::value, setup, option.goodput);
  const auto at_end = [&](RangeEnd end) {
    const RunSetup one = run_setup(request, problem, parts, scored, end);
    return of.totals(end, one, simulate_goodput(one, request.runs));
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
  if (price && request.purchase) {
    const double running = option.power.mean * kMegawattHour / (option.gpus + spare_gpus) *
                           request.assumed.at("electricity");
    option.break_even_years = break_even_years(of.owned(RangeEnd::value), *price, running);
  }
  return option;
}

}  // namespace railyard::placement
