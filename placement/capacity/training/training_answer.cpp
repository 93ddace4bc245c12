#include "placement/capacity/training/training_answer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/money.hpp"

namespace railyard::placement {
namespace {

std::string money(const TrainingPlanRequest& request, double amount) {
  return core::to_text(Money{amount, request.training.currency});
}

/// "1,024 H100-SXM5-80GB on dgx_h100_ndr400: 41.2 days at 92 % goodput, $3.94M, 1,590 MWh at 1.6
/// MW".
std::string text_of(const TrainingPlanRequest& request, const TrainingOption& o) {
  std::string text = fmt::format("{} {} on {}: {:.1f} days at {:.0f} % goodput", o.gpus, o.gpu,
                                 o.cluster, o.days.value, 100 * o.goodput.goodput.mean);
  if (o.cost) text += ", " + money(request, o.cost->value);
  if (o.own_cost) text += fmt::format(" rented, {} bought", money(request, o.own_cost->value));
  return text + fmt::format(", {:.0f} MWh at {:.2f} MW", o.energy_MWh.value, o.power.mean);
}

std::string range_of(const TrainingPlanRequest& request, const TrainingOption& o) {
  std::string text = fmt::format("{:.1f} to {:.1f} days", o.days.low, o.days.high);
  if (o.cost)
    text += fmt::format(", {} to {}", money(request, o.cost->low), money(request, o.cost->high));
  if (o.own_cost)
    text += fmt::format(" rented, {} to {} bought", money(request, o.own_cost->low),
                        money(request, o.own_cost->high));
  return text;
}

std::string limits_text(const TrainingPlanRequest& request) {
  std::string text;
  const auto add = [&](const std::string& one) { text += (text.empty() ? "" : ", ") + one; };
  if (request.limits.days) add(fmt::format("{:g} days", *request.limits.days));
  if (request.limits.budget) add(money(request, *request.limits.budget));
  if (request.limits.power_MW) add(fmt::format("{:g} MW", *request.limits.power_MW));
  return text.empty() ? "" : " within " + text;
}

std::vector<std::string> infeasible(const TrainingPlanRequest& request,
                                    std::span<const TrainingOption> options) {
  double ratio = 0;
  const TrainingOption* nearest = nearest_option(options, request.limits, ratio);
  std::vector<std::string> lines{"Nothing is" + limits_text(request) + "."};
  const auto least = [&](auto value) { return std::ranges::min(options, {}, value); };
  if (request.limits.days) {
    const auto days = [](const TrainingOption& o) { return o.days.value; };
    if (const double best = days(least(days)); best > *request.limits.days)
      lines.push_back(fmt::format(
          "The deadline cannot be met: the fastest option takes {:.1f} days, {:.1f} days too long.",
          best, best - *request.limits.days));
  }
  if (request.limits.budget) {
    const auto cost = [](const TrainingOption& o) { return o.cost ? o.cost->value : 1e300; };
    if (const double best = cost(least(cost)); best > *request.limits.budget)
      lines.push_back(
          best >= 1e300
              ? "The budget cannot be checked, because no price is known: set it with --price."
              : fmt::format("The budget cannot be met: the cheapest option costs {}, {} too much.",
                            money(request, best), money(request, best - *request.limits.budget)));
  }
  if (request.limits.power_MW) {
    const auto peak = [](const TrainingOption& o) { return o.power.peak; };
    if (const double best = peak(least(peak)); best > *request.limits.power_MW)
      lines.push_back(fmt::format(
          "The power limit cannot be met: the lowest power is {:.2f} MW, {:.2f} MW too much.", best,
          best - *request.limits.power_MW));
  }
  if (lines.size() == 1) lines.push_back("Each limit can be met alone, but not all together.");
  lines.push_back("Nearest: " + text_of(request, *nearest) + ".");
  return lines;
}

}  // namespace

std::vector<std::string> answer_of(const TrainingPlanRequest& request,
                                   std::span<const TrainingOption> options) {
  const auto cheapest = std::ranges::find_if(options, &TrainingOption::cheapest);
  const auto fastest = std::ranges::find_if(options, &TrainingOption::fastest);
  if (cheapest == options.end()) return infeasible(request, options);
  const std::string limits = limits_text(request);
  if (cheapest == fastest)
    return {"Cheapest and fastest" + limits + ": " + text_of(request, *fastest) + " (" +
            range_of(request, *fastest) + " by the ranges of the assumptions)."};
  return {"Cheapest" + limits + ": " + text_of(request, *cheapest) + " (" +
              range_of(request, *cheapest) + " by the ranges of the assumptions).",
          "Fastest" + limits + ": " + text_of(request, *fastest) + " (" +
              range_of(request, *fastest) + ")."};
}

}  // namespace railyard::placement
