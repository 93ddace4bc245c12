#include "apps/output/report/curves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "core/drawing/markup.hpp"

namespace railyard::apps {

using namespace core::drawing;

namespace {

// docs/result-files.md: columns that are results; all others but bytes and collective are
// variables.
constexpr auto kOutcomes = std::to_array<std::string_view>(
    {"time_us", "min_us", "p50_us", "p99_us", "algbw_GBps", "busbw_GBps", "bound_by", "wrong",
     "predicted_us", "error_pct", "error_term", "utilisation", "skew_us", "limit_us", "accepted",
     "range_pct"});
// Facts in a file's provenance that do not describe the run; all other facts describe it.
constexpr std::array<std::string_view, 5> kNotFacts = {"command", "build", "seed", "nodes",
                                                       "notes"};
// Variables that a command may choose for each message size.
constexpr std::array<std::string_view, 3> kChoices = {"algorithm", "protocol", "channels"};

template <std::size_t N>
bool is_one_of(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// A row that will become a point of a curve: its variables in column order, and the point.
struct Candidate {
  std::string collective;
  bool is_live = false;
  std::vector<std::pair<std::string, std::string>> variables;
  std::vector<std::pair<std::string, std::string>> choices;
  CurvePoint point;
};

std::string describe(const std::string& name, const std::string& value) {
  if (name == "ranks" || name == "nodes" || name == "channels") {
    return fmt::format("{} {}", value, value == "1" ? name.substr(0, name.size() - 1) : name);
  }
  if (is_one_of(name, kChoices) || name == "fidelity" || name == "backend" || name == "file")
    return value;
  if (name == "cluster") return std::filesystem::path(value).stem().string();
  if (name == "routing") return value + " routing";
  if (value == "yes") return name;
  if (value == "no") return "no " + name;
  return fmt::format("{} {}", name, value);
}

std::optional<Candidate> to_candidate(const ResultFile& file, std::size_t file_index,
                                      std::size_t row) {
  const auto bytes = file.number(row, "bytes");
  const auto time = file.number(row, "time_us");
  const auto busbw = file.number(row, "busbw_GBps");
  const std::string collective = file.text(row, "collective");
  if (!bytes || !time || !busbw || collective.empty() || *bytes <= 0 || *time <= 0 || *busbw < 0)
    return std::nullopt;
  Candidate candidate;
  candidate.collective = collective;
  candidate.is_live = file.cell(row, "backend") != nullptr;
  candidate.point = {file_index, row,
                     *bytes,     *time,
                     *busbw,     file.number(row, "predicted_us"),
                     "",         file.text(row, "bound_by")};
  for (const std::string& column : file.columns) {
    if (column == "bytes" || column == "collective" || is_one_of(column, kOutcomes)) continue;
    auto& into = is_one_of(column, kChoices) ? candidate.choices : candidate.variables;
    // The fidelity of a simulation and the backend of a live run are the same variable.
    into.emplace_back(column == "backend" ? "fidelity" : column, file.text(row, column));
  }
  for (const auto& [name, value] : file.provenance) {
    const bool is_fact = !is_one_of(name, kNotFacts) && !name.starts_with("configs.");
    if (is_fact && !file.column(name) && !value.empty())
      candidate.variables.emplace_back(name, value);
  }
  return candidate;
}

/// Decides whether the choices of a run (algorithm, protocol, ...) were requested: sizes repeat if
/// choices are ignored, or all rows have the same choices. Requested choices become variables of
/// the curves, others labels of points.
void find_requested_choices(std::vector<Candidate>& candidates) {
  std::map<std::pair<std::size_t, std::string>, std::set<std::string>> seen;
  std::set<std::pair<std::size_t, std::string>> repeated;
  for (const Candidate& candidate : candidates) {
    std::string key;
    for (const auto& [name, value] : candidate.variables) key += name + '=' + value + '\n';
    const auto run = std::pair(candidate.point.file, candidate.collective + '\n' + key);
    if (!seen[run].insert(svg_number(candidate.point.bytes)).second) {
      repeated.emplace(candidate.point.file, candidate.collective);
    }
  }
  std::map<std::pair<std::size_t, std::string>,
           std::set<std::vector<std::pair<std::string, std::string>>>>
      choices;
  for (const Candidate& candidate : candidates) {
    choices[{candidate.point.file, candidate.collective}].insert(candidate.choices);
  }
  for (Candidate& candidate : candidates) {
    const auto run = std::pair(candidate.point.file, candidate.collective);
    const bool asked = repeated.contains(run) || choices[run].size() == 1;
    for (const auto& [name, value] : candidate.choices) {
      if (asked) {
        candidate.variables.emplace_back(name, value);
      } else if (!value.empty()) {
        candidate.point.chosen +=
            (candidate.point.chosen.empty() ? "" : ", ") + describe(name, value);
      }
    }
  }
}

using Labels = std::vector<std::pair<std::string, std::string>>;

std::string value_of(const Labels& variables, const std::string& name) {
  const auto found = std::find_if(variables.begin(), variables.end(),
                                  [&](const auto& v) { return v.first == name; });
  return found == variables.end() ? std::string() : found->second;
}

std::string join(const std::vector<std::string>& words, std::string_view separator) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : std::string(separator)) + word;
  return out;
}

/// Names of the variables of all candidates, in reading order: first what was run, then how.
std::vector<std::string> variable_names(const std::vector<Candidate>& candidates) {
  static constexpr std::array<std::string_view, 8> kFirst = {
      "cluster", "nodes", "ranks", "algorithm", "protocol", "channels", "fidelity", "routing"};
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const std::string_view first : kFirst) {
    for (const Candidate& candidate : candidates) {
      if (!value_of(candidate.variables, std::string(first)).empty()) add(std::string(first));
    }
  }
  for (const Candidate& candidate : candidates) {
    for (const auto& [name, value] : candidate.variables) add(name);
  }
  return names;
}

/// If two files have rows that are equal in all variables, the file becomes a variable.
void tell_files_apart(std::vector<Candidate>& candidates, std::span<const ResultFile> files) {
  std::map<std::pair<Labels, double>, std::set<std::size_t>> owners;
  for (const Candidate& candidate : candidates) {
    owners[{candidate.variables, candidate.point.bytes}].insert(candidate.point.file);
  }
  const bool clash =
      std::any_of(owners.begin(), owners.end(), [](const auto& o) { return o.second.size() > 1; });
  if (!clash) return;
  for (Candidate& candidate : candidates) {
    const std::filesystem::path path = files[candidate.point.file].path;
    candidate.variables.emplace_back("file", path.stem().string());
  }
}

/// Removes variables from the labels that do not distinguish more curves: for "8 nodes, 64 ranks"
/// and "16 nodes, 128 ranks" one variable is enough.
void drop_implied(std::vector<std::string>& varying, const std::vector<Candidate>& candidates) {
  const auto keys = [&](const std::vector<std::string>& names) {
    std::set<std::vector<std::string>> distinct;
    for (const Candidate& candidate : candidates) {
      std::vector<std::string> key;
      for (const std::string& name : names) key.push_back(value_of(candidate.variables, name));
      distinct.insert(key);
    }
    return distinct.size();
  };
  const std::size_t needed = keys(varying);
  for (const std::string_view candidate :
       {"timing", "harness", "channels", "nodes", "protocol", "ranks", "seed", "algorithm"}) {
    std::vector<std::string> fewer = varying;
    std::erase(fewer, candidate);
    if (!fewer.empty() && keys(fewer) == needed) varying = fewer;
  }
}

CurveChart to_chart(std::vector<Candidate> candidates, std::span<const ResultFile> files) {
  tell_files_apart(candidates, files);
  CurveChart chart;
  chart.collective = candidates.front().collective;
  chart.is_live = candidates.front().is_live;
  std::vector<std::string> common, varying;
  for (const std::string& name : variable_names(candidates)) {
    std::set<std::string> values;
    for (const Candidate& candidate : candidates)
      values.insert(value_of(candidate.variables, name));
    if (values.size() > 1) {
      varying.push_back(name);
    } else if (!values.begin()->empty() && name != "seed") {
      common.push_back(describe(name, *values.begin()));
    }
  }
  chart.common = join(common, ", ");
  drop_implied(varying, candidates);
  std::map<std::vector<std::string>, std::size_t> curve_of;
  for (Candidate& candidate : candidates) {
    std::vector<std::string> key, words;
    for (const std::string& name : varying) {
      key.push_back(value_of(candidate.variables, name));
      if (!key.back().empty()) words.push_back(describe(name, key.back()));
    }
    const auto [at, is_new] = curve_of.emplace(key, chart.curves.size());
    if (is_new) chart.curves.push_back({join(words, " · "), {}});
    chart.curves[at->second].points.push_back(std::move(candidate.point));
  }
  for (Curve& curve : chart.curves) {
    std::stable_sort(curve.points.begin(), curve.points.end(),
                     [](const CurvePoint& a, const CurvePoint& b) { return a.bytes < b.bytes; });
    if (curve.label.empty()) curve.label = title_of(chart);
  }
  return chart;
}

}  // namespace

std::optional<double> CurvePoint::predicted_busbw_GBps() const {
  if (!predicted_us || *predicted_us <= 0) return std::nullopt;
  return busbw_GBps * time_us / *predicted_us;
}

std::vector<double> prediction_errors(std::span<const Curve> curves) {
  std::vector<double> errors;
  for (const Curve& curve : curves)
    for (const CurvePoint& point : curve.points)
      if (point.predicted_us)
        errors.push_back(std::fabs(*point.predicted_us / point.time_us - 1) * 100);
  std::ranges::sort(errors);
  return errors;
}

std::vector<CurveChart> collect_curves(std::span<const ResultFile> files) {
  std::vector<Candidate> all;
  for (std::size_t file = 0; file < files.size(); ++file) {
    if (is_validation(files[file])) continue;  // shown in a separate section
    for (std::size_t row = 0; row < files[file].rows.size(); ++row) {
      if (auto candidate = to_candidate(files[file], file, row))
        all.push_back(std::move(*candidate));
    }
  }
  find_requested_choices(all);
  std::vector<std::vector<Candidate>> by_collective;
  for (Candidate& candidate : all) {
    const auto found =
        std::find_if(by_collective.begin(), by_collective.end(), [&](const auto& group) {
          return group.front().collective == candidate.collective &&
                 group.front().is_live == candidate.is_live;
        });
    auto& group = found == by_collective.end() ? by_collective.emplace_back() : *found;
    group.push_back(std::move(candidate));
  }
  std::vector<CurveChart> charts;
  for (std::vector<Candidate>& group : by_collective)
    charts.push_back(to_chart(std::move(group), files));
  return charts;
}

std::optional<Comparison> compare(const CurveChart& chart) {
  std::set<double> sizes;
  for (const CurvePoint& point : chart.curves.front().points) sizes.insert(point.bytes);
  for (const Curve& curve : chart.curves) {
    std::set<double> own;
    for (const CurvePoint& point : curve.points) own.insert(point.bytes);
    std::erase_if(sizes, [&](double size) { return !own.contains(size); });
  }
  if (sizes.empty()) return std::nullopt;
  Comparison field{.bytes = *sizes.rbegin(), .runs = {}};
  for (std::size_t i = 0; i < chart.curves.size(); ++i) {
    const auto& points = chart.curves[i].points;
    field.runs.push_back({i, &*std::ranges::find(points, field.bytes, &CurvePoint::bytes)});
  }
  std::ranges::stable_sort(field.runs, {},
                           [](const ComparedRun& run) { return run.point->time_us; });
  return field;
}

std::string size_label(double bytes) {
  constexpr std::array<std::string_view, 6> kUnits = {"", "K", "M", "G", "T", "P"};
  std::size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  return svg_number(bytes) + std::string(kUnits[unit]);
}

std::string title_of(const CurveChart& chart) {
  std::string title = chart.collective;
  std::replace(title.begin(), title.end(), '_', '-');
  if (!title.empty())
    title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
  return chart.is_live ? title + ", live" : title;
}

}  // namespace railyard::apps
