#include "collectives/nccl/timing/fit/fit_outcome.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "core/error_summary.hpp"

namespace railyard::collectives::nccl {
namespace {

/// What is more likely than links that reach `part` of their rate; "" for a parameter that is none
/// of links.
std::string likelier_than_slow(const ClassParameter& fitted, double part, const Machine& machine) {
  const std::string_view name = fitted.parameter->name;
  if (fitted.parameter->owner == ParameterOwner::fabric && name == "efficiency") {
    const int nics = static_cast<int>(std::lround(machine.nic_count * part));
    return fmt::format(
        "more likely causes than slow NICs: only {} of {} NICs in use (NCCL_DEBUG=INFO lists "
        "them), another number of nodes than the table states, GPUDirect RDMA off, or other "
        "traffic on the fabric",
        nics, machine.nic_count);
  }
  if (name == "nvls_tree_efficiency" && machine.nodes > 1)
    return "more likely causes than slow links: NICs that are down, GPUDirect RDMA off, another "
           "number of nodes or GPUs than in the cluster file";
  if (name == "link_efficiency" || (name == "nvls_efficiency" && machine.nodes == 1))
    return "a more likely cause than slow NVLink: fewer GPUs or links than in the cluster file";
  return {};
}

}  // namespace

MedianErrors median_errors(const Predictions& predictions,
                           const std::vector<ClassParameter>& parameters) {
  std::vector<double> before, after;
  const FittedPrediction prediction(predictions, parameters);
  for (const PredictedRow& row : predictions.rows) {
    before.push_back(row.error_pct());
    after.push_back(prediction.error_pct(row));
  }
  return {core::summarise_errors(before).median, core::summarise_errors(after).median};
}

std::vector<std::string> slow_links(const Predictions& predictions,
                                    const std::vector<ClassParameter>& parameters) {
  constexpr double kLeast = 0.9;
  std::vector<std::string> slow;
  for (const ClassParameter& fitted : parameters) {
    if (!fitted.identified || fitted.value >= kLeast * fitted.start) continue;
    const double part = fitted.value / fitted.start;
    const std::string likely = likelier_than_slow(fitted, part, *predictions.rows.front().machine);
    if (!likely.empty())
      slow.push_back(fmt::format(
          "the fitted {}/{}, {:.3f}, is only {:.0f} % of the value of similar machines ({:.3f}); "
          "{}",
          fitted.owner, fitted.parameter->name, fitted.value, 100 * part, fitted.start, likely));
  }
  return slow;
}

}  // namespace railyard::collectives::nccl
