#include "placement/capacity/fabric/fabric_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace railyard::placement {
namespace {

/// "1,280".
std::string count_text(std::int64_t count) {
  std::string digits = fmt::format("{}", count);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

/// "$94.1M" for USD, "94.1M EUR" for others.
std::string money_text(double amount, const std::string& currency) {
  const double millions = amount / 1e6;
  const std::string text = millions >= 1 ? fmt::format("{:.{}f}M", millions, millions < 100 ? 1 : 0)
                                         : count_text(std::llround(amount));
  return currency == "USD" ? "$" + text : text + " " + currency;
}

std::string power_text(double watts) {
  return watts >= 1e6 ? fmt::format("{:.2f} MW", watts / 1e6)
                      : fmt::format("{:.0f} kW", watts / 1e3);
}

/// " ($98.0M to $165M)"; empty if both are equal.
std::string range_text(const std::string& low, const std::string& high) {
  return low == high ? std::string() : fmt::format(" ({} to {})", low, high);
}

std::string seconds_text(Time time) { return fmt::format("{:.4g} s", time.seconds()); }

std::string switches_text(const topology::FabricDesign& design) {
  constexpr std::array kNames{"leaf", "spine", "core"};
  std::vector<std::string> tiers;
  for (std::size_t tier = 0; tier < kNames.size(); ++tier)
    if (design.tiers[tier].switches > 0)
      tiers.push_back(fmt::format("{} {}", count_text(design.tiers[tier].switches), kNames[tier]));
  return fmt::format("{} switches ({})", count_text(design.switches()), fmt::join(tiers, ", "));
}

/// "If a spine fails, the step takes 1.2 % longer."
std::string failure_text(const char* what, const FailedStep& failed, std::optional<Time> healthy) {
  if (failed.device.empty()) return {};
  if (failed.nodes_cut_off > 0)
    return fmt::format("If a {} fails, the job stops, because {} {} cut off.", what,
                       failed.nodes_cut_off, failed.nodes_cut_off == 1 ? "node is" : "nodes are");
  if (!failed.step || !healthy) return {};
  const double longer = 100 * (failed.step->seconds() / healthy->seconds() - 1);
  if (longer < 0.05) return fmt::format("If a {} fails, the step takes no longer.", what);
  return fmt::format("If a {} fails, the step takes {:.1f} % longer.", what, longer);
}

std::string failures_text(const FabricTimes& times) {
  std::vector<std::string> texts;
  for (std::string text : {failure_text("spine", times.spine, times.step),
                           failure_text("leaf", times.leaf, times.step),
                           failure_text("cable", times.cable, times.step)})
    if (!text.empty()) texts.push_back(std::move(text));
  return fmt::format("{}", fmt::join(texts, " "));
}

/// "12 % more" or "0.4 % less"; empty below 0.05 %.
std::string against(double value, double base) {
  const double percent = 100 * (value / base - 1);
  if (std::abs(percent) < 0.05) return {};
  return fmt::format("{:.{}f} % {}", std::abs(percent), std::abs(percent) < 10 ? 1 : 0,
                     percent > 0 ? "more" : "less");
}

/// The estimated part of the bill, and whether another fabric is best at an end of the price
/// ranges.
std::string certainty_text(const FabricPlan& plan) {
  const BillTotal& total = plan.options[*plan.best].total;
  std::vector<std::string> parts;
  const auto add_part = [&](double estimated, double all, const char* what) {
    if (estimated > 0)
      parts.push_back(fmt::format("{:.0f} % of the {}", 100 * estimated / all, what));
  };
  add_part(total.estimated, total.price, "price");
  add_part(total.watts_estimated, total.watts, "power");
  std::string text;
  if (!parts.empty())
    text = fmt::format("Estimates without a public source: {}. ", fmt::join(parts, ", "));
  if (plan.best_if_cheap == plan.best && plan.best_if_dear == plan.best)
    return text + "The choice is the same at both ends of the price ranges.";
  const auto other = [&](std::optional<std::size_t> best, const char* end) {
    if (best == plan.best) return std::string();
    return fmt::format("With all prices of the network at the {} end of their ranges {} is best.",
                       end, name_of(plan.options[*best]));
  };
  const std::string cheap = other(plan.best_if_cheap, "low"),
                    dear = other(plan.best_if_dear, "high");
  return text + cheap + (cheap.empty() || dear.empty() ? "" : " ") + dear;
}

/// Whether two options are the same fabric: a three-tier Clos that needs only two tiers is a
/// leaf_spine.
bool is_same_fabric(const FabricOption& a, const FabricOption& b) {
  const auto is_clos = [](const FabricOption& option) {
    return option.kind == topology::FabricKind::leaf_spine ||
           option.kind == topology::FabricKind::clos3;
  };
  const auto switches = [](const topology::TierDesign& tier) { return tier.switches; };
  return is_clos(a) && is_clos(b) &&
         a.design->fabric.nodes_per_unit == b.design->fabric.nodes_per_unit &&
         std::ranges::equal(a.design->tiers, b.design->tiers, {}, switches, switches);
}

std::string comparison_text(const FabricOption& other, const FabricOption& best,
                            int gpus_per_node) {
  if (!other.design && other.most_nodes == 0)
    return fmt::format("{} cannot be built: the switch has no ports of that rate, or too few.",
                       name_of(other));
  if (!other.design)
    return fmt::format("{} cannot be built: at most {} GPUs.", name_of(other),
                       count_text(std::int64_t{other.most_nodes} * gpus_per_node));
  if (&other != &best && is_same_fabric(other, best))
    return fmt::format("{} is the same fabric at this size.", name_of(other));
  const std::string price = against(other.total.price, best.total.price);
  std::string text = fmt::format("{} costs {}", name_of(other), price.empty() ? "the same" : price);
  if (other.times.step && best.times.step) {
    const std::string time = against(other.times.step->seconds(), best.times.step->seconds());
    text += time.empty() ? ", and its step takes equally long" : ", and its step takes " + time;
  } else if (other.times.all_reduce && best.times.all_reduce) {
    const std::string time =
        against(other.times.all_reduce->seconds(), best.times.all_reduce->seconds());
    text += time.empty() ? ", and an all-reduce takes equally long"
                         : ", and an all-reduce takes " + time;
  }
  if (best.times.leaf.nodes_cut_off > 0 && other.times.leaf.nodes_cut_off == 0)
    text += "; a failed leaf does not stop its jobs";
  return text + ".";
}

}  // namespace

std::vector<std::string> answer_of(const FabricPlan& plan, const FabricPlanRequest& request) {
  const int gpus_per_node = plan.gpus / plan.nodes;
  std::vector<std::string> lines;
  const auto add_line = [&](std::string line) {
    if (!line.empty()) lines.push_back(std::move(line));
  };
  if (!plan.best) {
    add_line(fmt::format("None of these fabrics can connect {} GPUs with {}.",
                         count_text(plan.gpus), request.model.name));
    for (const FabricOption& option : plan.options)
      add_line(comparison_text(option, option, gpus_per_node));
    return lines;
  }
  const FabricOption& best = plan.options[*plan.best];
  const std::string& currency = request.prices.currency;
  const auto money = [&](double amount) { return money_text(amount, currency); };
  const BillTotal& total = best.total;
  add_line(fmt::format("Buy {}: {} of {}, {} cables, {}{}, {} per GPU, {}{}.", name_of(best),
                       switches_text(*best.design), request.model.name, count_text(total.cables),
                       money(total.price), range_text(money(total.low), money(total.high)),
                       money(total.price / plan.gpus), power_text(total.watts),
                       range_text(power_text(total.watts_low), power_text(total.watts_high))));
  if (best.times.step)
    add_line(
        fmt::format("A step of {} takes {} on {} GPUs, {:.1f} % of it waiting for collectives.",
                    request.job->name, seconds_text(*best.times.step), count_text(plan.gpus),
                    100 * best.times.exposed->seconds() / best.times.step->seconds()));
  add_line(failures_text(best.times));
  add_line(certainty_text(plan));
  for (std::size_t i = 0; i < plan.options.size(); ++i)
    if (i != *plan.best) add_line(comparison_text(plan.options[i], best, gpus_per_node));
  return lines;
}

}  // namespace railyard::placement
