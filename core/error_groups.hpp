#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/error_summary.hpp"

namespace railyard::core {

/// Prediction over measurement - 1, in per cent.
[[nodiscard]] inline double error_pct(double predicted, double measured) {
  return 100 * (predicted / measured - 1);
}

/// Predicted runs whose errors are summarised together.
template <class Run>
struct RunGroup {
  std::string name{};
  bool is_overall = false;  ///< over several other groups
  std::vector<const Run*> runs{};

  /// Summary of `error(run)`, in per cent, over the runs for which it is not nullopt.
  template <class Error>
  [[nodiscard]] ErrorSummary errors(Error error) const {
    std::vector<double> found;
    for (const Run* run : runs)
      if (const std::optional<double> one = std::invoke(error, *run)) found.push_back(*one);
    return summarise_errors(std::move(found));
  }
};

/// A group over several others: the runs for which `holds` is true.
template <class Run>
struct OverallGroup {
  std::string name{};
  bool (*holds)(const Run& run);
};

/// Groups of runs by `names(run)` (the groups that a run belongs to), in the order of names, and
/// behind them the overall groups that have runs. The runs must outlive the groups.
template <class Run, class Names>
[[nodiscard]] std::vector<RunGroup<Run>> run_groups(
    std::span<const Run> runs, Names names, std::initializer_list<OverallGroup<Run>> overall = {}) {
  std::map<std::string, RunGroup<Run>> by_name;
  for (const Run& run : runs)
    for (const std::string& name : names(run)) by_name[name].runs.push_back(&run);
  std::vector<RunGroup<Run>> groups;
  for (auto& [name, group] : by_name) {
    group.name = name;
    groups.push_back(std::move(group));
  }
  for (const OverallGroup<Run>& one : overall) {
    RunGroup<Run> group{.name = one.name, .is_overall = true};
    for (const Run& run : runs)
      if (one.holds(run)) group.runs.push_back(&run);
    if (!group.runs.empty()) groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace railyard::core
