#include "placement/serving/planner/serving_curves.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/nearest_rank.hpp"
#include "placement/serving/planner/plan_case.hpp"
#include "placement/serving/planner/serving_plan.hpp"

namespace railyard::placement::serving {
namespace {

std::array<std::pair<std::string_view, double>, 5> parts_of(const StepTime& t) {
  return {{{"host", t.host},
           {"linear", t.linear},
           {"experts", t.experts},
           {"attention", t.attention},
           {"communication", t.communication}}};
}

void add_step(std::string_view name, const StepTime& time, std::vector<StepPart>& parts) {
  for (const auto& [part, seconds] : parts_of(time))
    if (seconds > 0)
      parts.push_back(
          {.step = name, .part = part, .seconds = seconds, .share = seconds / time.total()});
}

}  // namespace

std::vector<LoadPoint> load_sweep(const ServingPlanRequest& request, const ServingOption& option) {
  const OptionCases cases(request, option);
  const double most = option.saturation() / (1 + option.margin);
  std::vector<LoadPoint> points;
  for (int tenths = 1; tenths <= 12; ++tenths) {
    const double rate = most * tenths / 10;
    std::vector<Request> requests = plan_requests(request.demand);
    for (Request& one : requests) one.arrival *= request.demand.rate / rate;
    ServingOption at = option;
    simulate(cases.decode(), cases.prefill(), requests, at);
    points.push_back({.rate = rate,
                      .saturation = tenths / 10.0,
                      .ttft = at.ttft,
                      .tpot = at.tpot,
                      .goodput = at.goodput,
                      .tokens_per_s = rate * request.demand.output});
  }
  const auto beyond = std::ranges::find_if(
      points, [&](const LoadPoint& p) { return p.ttft.p99 > 2 * points.front().ttft.p99; });
  std::prev(beyond)->is_knee = true;
  return points;
}

std::vector<LatencyQuantile> latency_quantiles(std::span<const Served> served) {
  constexpr std::array<std::pair<std::string_view, double (Served::*)() const>, 3> kQuantities{
      {{"ttft", &Served::ttft}, {"tpot", &Served::tpot}, {"e2e", &Served::latency}}};
  std::vector<LatencyQuantile> found;
  for (const auto& quantity : kQuantities) {
    std::vector<double> values;
    for (const Served& one : served)
      if (!one.shed) values.push_back((one.*quantity.second)());
    if (values.empty()) continue;
    const auto add = [&](double share) {
      found.push_back({.quantity = quantity.first,
                       .share = share,
                       .seconds = core::nearest_rank(values, share)});
    };
    add(0.01);
    for (int i = 1; i < 20; ++i) add(i / 20.0);
    add(0.99);
  }
  return found;
}

std::vector<StepPart> step_parts(const ServingPlanRequest& request, const ServingOption& option) {
  const OptionCases cases(request, option);
  const ServingDemand& d = request.demand;
  const StepBatch decodes =
      decode_batch(std::max(1.0, option.load.running), d.input + d.output / 2);
  const double cached = d.cached * d.input;
  const StepBatch prompt = prompt_part(cached, d.input - cached, true);
  std::vector<StepPart> parts;
  add_step("decode", cases.decode().step.time(decodes), parts);
  if (cases.prefill() != nullptr) {
    add_step("prompt", cases.prefill()->step.time(prompt), parts);
  } else {
    StepBatch both = decodes;
    both += prompt;
    add_step("decode and prompt", cases.decode().step.time(both), parts);
  }
  return parts;
}

}  // namespace railyard::placement::serving
