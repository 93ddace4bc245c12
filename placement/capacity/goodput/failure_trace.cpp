#include "placement/capacity/goodput/failure_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>

#include "core/config/csv_table.hpp"
#include "core/config/text_file.hpp"
#include "core/diagnostic.hpp"

namespace railyard::placement {
namespace {

class TraceReader {
 public:
  TraceReader(const std::string& file, double unknown_days)
      : file_(file), unknown_days_(unknown_days), problems_(file) {}

  std::vector<TraceFault> read() {
    const std::string text = core::read_text_file(file_);
    std::vector<TraceFault> faults;
    std::size_t from = 0;
    for (int line = 1; from < text.size(); ++line) {
      const std::size_t end = std::min(text.find('\n', from), text.size());
      const auto cells = core::plain_csv_cells(std::string_view(text).substr(from, end - from));
      from = end + 1;
      if (line == 1)
        find_columns(cells);
      else if (cells.size() > 1)
        faults.push_back(fault_of(cells, line));
    }
    problems_.throw_if_any();
    if (faults.empty()) throw InputError(file_, "", "holds no faults", "one line per fault");
    return faults;
  }

 private:
  void find_columns(const std::vector<std::string_view>& names) {
    for (std::size_t c = 0; c < kColumns.size(); ++c) {
      const auto found = std::ranges::find(names, kColumns[c]);
      if (found == names.end())
        throw InputError(file_, "line 1", fmt::format("the column '{}' is missing", kColumns[c]),
                         "node,start_day,end_day,class");
      column_[c] = static_cast<std::size_t>(found - names.begin());
    }
  }

  std::optional<double> number(std::string_view text, int line, std::string_view what) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size() && std::isfinite(value) &&
        value >= 0)
      return value;
    problems_.add(fmt::format("line {}", line),
                  fmt::format("{} '{}' is no number from 0 on", what, text));
    return std::nullopt;
  }

  TraceFault fault_of(const std::vector<std::string_view>& cells, int line) {
    TraceFault fault;
    if (cells.size() <= *std::ranges::max_element(column_)) {
      problems_.add(fmt::format("line {}", line), "has fewer cells than line 1");
      return fault;
    }
    const auto cell = [&](std::size_t c) { return cells[column_[c]]; };
    fault.node = static_cast<int>(number(cell(0), line, kColumns[0]).value_or(0));
    fault.start_day = number(cell(1), line, kColumns[1]).value_or(0);
    fault.end_day = cell(2).empty() ? fault.start_day + unknown_days_
                                    : number(cell(2), line, kColumns[2]).value_or(0);
    fault.cause = cell(3);
    if (fault.end_day < fault.start_day)
      problems_.add(fmt::format("line {}", line), "ends before it starts");
    return fault;
  }

  static constexpr std::array<std::string_view, 4> kColumns{"node", "start_day", "end_day",
                                                            "class"};
  const std::string& file_;
  double unknown_days_;
  Diagnostics problems_;
  std::array<std::size_t, 4> column_{};
};

}  // namespace

FailureTrace read_failure_trace(const std::string& file, int nodes, double unknown_days) {
  FailureTrace trace{.name = file, .faults = TraceReader(file, unknown_days).read()};
  std::ranges::stable_sort(trace.faults, {}, &TraceFault::start_day);
  for (const TraceFault& fault : trace.faults) {
    trace.nodes = std::max(trace.nodes, fault.node + 1);
    trace.days = std::max({trace.days, fault.start_day, fault.end_day});
  }
  if (nodes > 0 && nodes < trace.nodes)
    throw InputError(file, "",
                     fmt::format("has a fault of node {}, but {} nodes", trace.nodes - 1, nodes),
                     fmt::format("at least {} nodes", trace.nodes));
  trace.nodes = std::max(trace.nodes, nodes);
  return trace;
}

double node_availability(const FailureTrace& trace) {
  std::map<int, double> until;  // by node: end of the days counted so far
  double out = 0;
  for (const TraceFault& fault : trace.faults) {
    double& counted = until[fault.node];
    const double from = std::max(fault.start_day, counted);
    out += std::max(0.0, fault.end_day - from);
    counted = std::max(counted, fault.end_day);
  }
  return 1 - out / (trace.nodes * trace.days);
}

}  // namespace railyard::placement
