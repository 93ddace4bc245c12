#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/error_summary.hpp"

namespace railyard::apps {

/// Predicted rows that are judged together.
template <class Line>
struct LineGroup {
  std::string name{};
  bool is_overall = false;  ///< over several other groups
  std::vector<const Line*> lines{};

  /// Summary of `error(line)`, in per cent, over the lines for which it is not nullopt.
  template <class Error>
  [[nodiscard]] core::ErrorSummary errors(Error error) const {
    std::vector<double> found;
    for (const Line* line : lines)
      if (const std::optional<double> one = std::invoke(error, *line)) found.push_back(*one);
    return core::summarise_errors(std::move(found));
  }
};

/// A group over several others: the lines for which `holds` is true.
template <class Line>
struct OverallGroup {
  std::string name{};
  bool (*holds)(const Line& line);
};

/// Groups of lines by `names(line)` (the groups that a line belongs to), in the order of names, and
/// behind them the overall groups that have lines.
template <class Line, class Names>
[[nodiscard]] std::vector<LineGroup<Line>> line_groups(
    const std::vector<Line>& lines, Names names,
    std::initializer_list<OverallGroup<Line>> overall = {}) {
  std::map<std::string, LineGroup<Line>> by_name;
  for (const Line& line : lines)
    for (const std::string& name : names(line)) by_name[name].lines.push_back(&line);
  std::vector<LineGroup<Line>> groups;
  for (auto& [name, group] : by_name) {
    group.name = name;
    groups.push_back(std::move(group));
  }
  for (const OverallGroup<Line>& one : overall) {
    LineGroup<Line> group{.name = one.name, .is_overall = true};
    for (const Line& line : lines)
      if (one.holds(line)) group.lines.push_back(&line);
    if (!group.lines.empty()) groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace railyard::apps
