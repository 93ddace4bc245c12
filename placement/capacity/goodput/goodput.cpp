#include "placement/capacity/goodput/goodput.hpp"

#include <algorithm>
#include <cmath>

#include "core/parallel.hpp"
#include "placement/capacity/goodput/exact_goodput.hpp"

namespace railyard::placement {
namespace {

/// 95 % of a normal distribution are within this number of standard deviations.
constexpr double kNormal95 = 1.959964;

Estimate estimate_of(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  double sum = 0, squares = 0;
  for (const double value : values) sum += value;
  const double mean = sum / n;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {mean, n > 1 ? kNormal95 * std::sqrt(squares / (n - 1) / n) : 0};
}

double percentile(std::vector<double> values, double part) {
  const auto at = static_cast<std::size_t>(part * static_cast<double>(values.size() - 1) + 0.5);
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(at));
  return values[at];
}

CauseWaste& operator+=(CauseWaste& sum, const CauseWaste& one) {
  sum.interruptions += one.interruptions;
  sum.lost += one.lost;
  sum.detection += one.detection;
  sum.restart += one.restart;
  sum.waiting += one.waiting;
  sum.slow += one.slow;
  return sum;
}

void divide(CauseWaste& waste, double by) {
  for (double* part : {&waste.interruptions, &waste.lost, &waste.detection, &waste.restart,
                       &waste.waiting, &waste.slow})
    *part /= by;
}

/// Extrapolates a run that reached its horizon: all its times grow in proportion to its work.
void extrapolate(RunResult& result, double work) {
  if (!std::isfinite(work) || result.useful >= work) return;
  const double factor = work / std::max(result.useful, 1e-6 * work);
  for (double* part :
       {&result.elapsed, &result.useful, &result.checkpoint, &result.node_seconds_out})
    *part *= factor;
  for (CauseWaste& cause : result.causes) divide(cause, 1 / factor);
}

/// Halves repeated failures and keeps all others. The rates of causes include both.
void halve_repeats(FailureModel& failures) {
  const double share = failures.repeats.share;
  failures.repeats.share /= 2;
  for (FailureCause& cause : failures.causes)
    if (!cause.keeps_node) cause.per_year *= (1 - share) / (1 - share / 2);
}

}  // namespace

double GoodputEstimate::training() const {
  double wasted = checkpoint;
  for (const CauseWaste& cause : causes) wasted += cause.total();
  return elapsed.mean - wasted;
}

GoodputEstimate simulate_goodput(const RunSetup& setup, const MonteCarlo& options) {
  std::vector<RunResult> results(static_cast<std::size_t>(options.runs));
  core::parallel_for(results.size(), options.threads, [&](std::size_t run, std::size_t) {
    results[run] = simulate_run(setup, options.seed, run);
    extrapolate(results[run], setup.work);
  });
  GoodputEstimate estimate;
  estimate.causes = results.front().causes;
  for (CauseWaste& cause : estimate.causes) cause = {.name = cause.name};
  std::vector<double> shares, times;
  double out = 0, seconds = 0;
  for (const RunResult& result : results) {  // in order: the same bytes on any number of threads
    shares.push_back(result.useful / result.elapsed);
    times.push_back(result.elapsed);
    estimate.checkpoint += result.checkpoint / options.runs;
    out += result.node_seconds_out;
    seconds += result.elapsed * (setup.nodes + setup.spares);
    for (std::size_t c = 0; c < result.causes.size(); ++c) estimate.causes[c] += result.causes[c];
  }
  for (CauseWaste& cause : estimate.causes) {
    divide(cause, options.runs);
    estimate.interruptions += cause.interruptions;
  }
  estimate.goodput = estimate_of(shares);
  estimate.elapsed = estimate_of(times);
  estimate.elapsed_p5 = percentile(times, 0.05);
  estimate.elapsed_p95 = percentile(times, 0.95);
  estimate.availability = 1 - out / seconds;
  return estimate;
}

double formula_goodput(const RunSetup& setup) {
  double detection = 0, rate = 0;
  for (const FailureCause& cause : setup.failures.causes) {
    FailureModel one = setup.failures;
    one.causes = {cause};
    const double each = interruption_rate(one, setup.counts);
    rate += each;
    detection += each * (cause.detection ? cause.detection->seconds() : setup.recovery.detection);
  }
  return exact_goodput({.mean_time_to_failure = mean_time_to_failure(setup.failures, setup.counts),
                        .interval = setup.checkpoint.interval,
                        .checkpoint = setup.checkpoint.stall,
                        .restart = setup.recovery.restart + setup.checkpoint.write,
                        .downtime = rate > 0 ? detection / rate : 0});
}

double simulated_interval(const RunSetup& setup, const MonteCarlo& options) {
  const double mean = mean_time_to_failure(setup);
  const double least = std::max(1.0, setup.checkpoint.write);
  const double start = std::max(least, optimal_interval(setup.checkpoint.stall, mean));
  if (!std::isfinite(start)) return start;
  const auto goodput = [&](double logarithm) {
    RunSetup one = setup;
    one.checkpoint.interval = std::exp(logarithm);
    return simulate_goodput(one, options).goodput.mean;
  };
  constexpr double kGolden = 0.6180339887498949;
  double low = std::log(std::max(least, start / 8)), high = std::log(start * 8);
  double a = high - kGolden * (high - low), b = low + kGolden * (high - low);
  double at_a = goodput(a), at_b = goodput(b);
  while (high - low > 0.02) {
    if (at_a > at_b) {
      high = b;
      b = a;
      at_b = at_a;
      a = high - kGolden * (high - low);
      at_a = goodput(a);
    } else {
      low = a;
      a = b;
      at_a = at_b;
      b = low + kGolden * (high - low);
      at_b = goodput(b);
    }
  }
  return std::exp((low + high) / 2);
}

std::vector<WasteShare> largest_wastes(const RunSetup& setup, const GoodputEstimate& estimate,
                                       const MonteCarlo& options, std::size_t count) {
  const double gpus = setup.counts.gpus;
  std::vector<WasteShare> wastes;
  const auto add = [&](const std::string& name, double seconds) {
    if (seconds > 0)
      wastes.push_back({.cause = name,
                        .gpu_hours = seconds * gpus / 3600,
                        .share = seconds / estimate.elapsed.mean});
  };
  add("checkpoints", estimate.checkpoint);
  for (const CauseWaste& cause : estimate.causes) add(cause.name, cause.total());
  std::ranges::stable_sort(wastes, std::greater<>(), &WasteShare::gpu_hours);
  if (wastes.size() > count) wastes.resize(count);
  for (WasteShare& waste : wastes) {
    RunSetup halved = setup;
    FailureTrace thinned;
    if (waste.cause == "checkpoints") halved.checkpoint.stall /= 2;
    for (FailureCause& cause : halved.failures.causes)
      if (cause.name == waste.cause) cause.per_year /= 2;
    for (GreyProcess& grey : halved.grey)
      if (grey.name == waste.cause) grey.per_second /= 2;
    if (waste.cause == "lemon nodes") halved.failures.lemons.share /= 2;
    if (waste.cause == "repeated failures") halve_repeats(halved.failures);
    if (setup.trace != nullptr) {
      thinned = *setup.trace;
      std::size_t met = 0;
      std::erase_if(thinned.faults, [&](const TraceFault& fault) {
        return fault.cause == waste.cause && ++met % 2 == 0;
      });
      halved.trace = &thinned;
    }
    waste.goodput_halved = simulate_goodput(halved, options).goodput.mean;
  }
  return wastes;
}

}  // namespace railyard::placement
