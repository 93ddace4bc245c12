#include "hw/diagnose/read_pair_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "collectives/formats/measured_cells.hpp"
#include "collectives/formats/read_measured.hpp"
#include "core/config/csv_table.hpp"
#include "core/config/text_file.hpp"
#include "core/diagnostic.hpp"

namespace railyard::hw {
namespace {

constexpr std::array<std::string_view, 5> kRequired{"node_a", "node_b", "gpus_per_node", "bytes",
                                                    "time_us"};
constexpr std::array<std::string_view, 6> kOptional{
    "gpus_a", "gpus_b", "collective", "busbw_GBps", "busbw_inplace_GBps", "status"};

/// Bandwidths of both measurements; 0: not stated.
struct StatedBandwidths {
  double out_of_place = 0, in_place = 0;
};

/// Reads the cells of one line; problems are named by line and column.
class Line {
 public:
  Line(const core::CsvTable& table, const core::CsvRow& row, Diagnostics& problems)
      : table_(table), row_(row), problems_(problems) {}

  [[nodiscard]] std::string text(std::string_view column) const {
    const auto at = std::ranges::find(table_.columns, column);
    return at == table_.columns.end()
               ? std::string()
               : row_.cells[static_cast<std::size_t>(at - table_.columns.begin())];
  }
  void problem(std::string_view column, const std::string& message, const std::string& hint = {}) {
    problems_.add(fmt::format("line {}, column {}", row_.line, column), message, hint);
  }
  std::string name(std::string_view column) {
    std::string value = text(column);
    if (value.empty()) problem(column, "is empty", "the name of a node");
    return value;
  }
  int gpu_count() {
    const std::string cell = text("gpus_per_node");
    int value = 0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (error == std::errc() && end == cell.data() + cell.size() && value > 0) return value;
    problem("gpus_per_node", fmt::format("'{}' is not a number of GPUs", cell), "a whole number");
    return 0;
  }
  /// "1b+43": the places; as many as GPUs.
  std::vector<std::string> gpus(std::string_view column, int count) {
    std::vector<std::string> places;
    std::string rest = text(column);
    if (rest.empty()) return places;
    for (std::size_t end = 0; end != std::string::npos;) {
      end = rest.find('+');
      places.push_back(rest.substr(0, end));
      if (end != std::string::npos) rest.erase(0, end + 1);
    }
    std::vector<std::string> sorted = places;
    std::ranges::sort(sorted);
    if (std::ranges::adjacent_find(sorted) != sorted.end() || sorted.front().empty())
      problem(column, fmt::format("'{}' does not list different GPUs", text(column)),
              "as \"1b+43\"");
    else if (count > 0 && places.size() != static_cast<std::size_t>(count))
      problem(column, fmt::format("lists {} GPUs, gpus_per_node is {}", places.size(), count));
    return places;
  }
  RunStatus status() {
    const std::string cell = text("status");
    if (cell.empty() || cell == "ok") return RunStatus::ok;
    if (cell == "failed") return RunStatus::failed;
    if (cell == "missing") return RunStatus::missing;
    problem("status", fmt::format("'{}' is not a status", cell), "ok, failed or missing");
    return RunStatus::missing;
  }
  double rate(std::string_view column) {
    const std::string cell = text(column);
    if (cell.empty()) return 0;
    double value = 0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (error == std::errc() && end == cell.data() + cell.size() && value >= 0 && value < 1e9)
      return value;
    problem(column, fmt::format("'{}' is not a bandwidth", cell), "a number, in GB/s");
    return 0;
  }
  std::optional<PairTest> test(StatedBandwidths stated) {
    const collectives::MeasuredCell bytes = collectives::size_cell(text("bytes"));
    const collectives::MeasuredCell time = collectives::time_cell(text("time_us"));
    if (!bytes.problem.empty()) problem("bytes", bytes.problem);
    if (!time.problem.empty()) problem("time_us", time.problem);
    if (!bytes.value || !time.value) return std::nullopt;
    PairTest test{.bytes = Bytes(static_cast<std::int64_t>(*bytes.value)),
                  .time = Time::from_seconds(*time.value * 1e-6),
                  .busbw_GBps = stated.out_of_place};
    if (stated.out_of_place > 0 && stated.in_place > 0)
      test.in_place =
          Time::from_seconds(*time.value * 1e-6 * stated.out_of_place / stated.in_place);
    return test;
  }

 private:
  const core::CsvTable& table_;
  const core::CsvRow& row_;
  Diagnostics& problems_;
};

/// The one name of a collective that tools spell differently ("alltoall", "all_to_all").
std::string collective_name(const std::string& text) {
  const auto kind = collectives::collective_named(text);
  return kind ? std::string(collectives::to_text(*kind)) : text;
}

/// Collects tests into runs.
class Runs {
 public:
  void add(PairRun run, const std::optional<PairTest>& test) {
    const Key key{run.node_a, run.node_b, run.gpus_per_node,
                  run.gpus_a, run.gpus_b, run.collective};
    const auto known = last_.find(key);
    const bool begins =
        known == last_.end() || !test || runs_[known->second].status != RunStatus::ok ||
        std::ranges::any_of(runs_[known->second].tests,
                            [&](const PairTest& t) { return t.bytes == test->bytes; });
    if (begins) {
      last_[key] = runs_.size();
      runs_.push_back(std::move(run));
    }
    if (test) runs_[last_[key]].tests.push_back(*test);
  }
  std::vector<PairRun> take() {
    for (PairRun& run : runs_)
      std::ranges::sort(run.tests, {}, [](const PairTest& test) { return test.bytes; });
    return std::move(runs_);
  }

 private:
  using Key = std::tuple<std::string, std::string, int, std::vector<std::string>,
                         std::vector<std::string>, std::string>;
  std::vector<PairRun> runs_;
  std::map<Key, std::size_t> last_;
};

/// "0000:1b:00.0" or "0000:1b:00": the bus, "1b".
std::string bus_of(const std::string& place) {
  const std::size_t first = place.find(':');
  if (first == std::string::npos) return place;
  const std::size_t second = place.find(':', first + 1);
  return place.substr(first + 1, second == std::string::npos ? second : second - first - 1);
}

/// A run from the text of nccl-tests: its lines "# Rank" tell nodes and GPUs.
PairRun run_of(const collectives::MeasuredTable& table, const std::string& file) {
  PairRun run{.at = file};
  for (const collectives::NcclTestsDevice& device : table.devices) {
    if (run.node_a.empty() || run.node_a == device.host) {
      run.node_a = device.host;
      run.gpus_a.push_back(bus_of(device.place));
    } else if (run.node_b.empty() || run.node_b == device.host) {
      run.node_b = device.host;
      run.gpus_b.push_back(bus_of(device.place));
    } else {
      throw InputError(file, "", "is a test between more than two nodes", "pairwise tests");
    }
  }
  if (run.gpus_b.empty() || run.gpus_a.size() != run.gpus_b.size())
    throw InputError(file, "", "is not a test between two nodes with equal numbers of GPUs",
                     "the text output of nccl-tests has a line \"# Rank\" for each GPU");
  run.gpus_per_node = static_cast<int>(run.gpus_a.size());
  if (!table.rows.empty()) {
    run.collective = collectives::to_text(table.rows.front().collective.kind);
  } else if (table.needs_collective) {
    throw InputError(file, "", table.left_out);
  }
  for (const collectives::MeasuredRow& row : table.rows)
    run.tests.push_back({.bytes = row.collective.bytes,
                         .time = Time::from_seconds(row.time_us * 1e-6),
                         .in_place = Time::from_seconds(row.in_place_us * 1e-6)});
  if (run.tests.empty()) run.status = RunStatus::failed;
  return run;
}

std::vector<PairRun> nccl_tests_runs(const std::string& file, std::string_view text,
                                     std::optional<collectives::Kind> kind) {
  std::vector<PairRun> runs;
  for (const collectives::MeasuredTable& table : collectives::parse_measured(file, text, kind))
    runs.push_back(run_of(table, file));
  return runs;
}

}  // namespace

std::vector<PairRun> parse_pair_runs(const std::string& name, std::string_view text) {
  const core::CsvTable table =
      core::parse_csv(name, text, {.required = kRequired, .optional = kOptional});
  Diagnostics problems(name);
  Runs runs;
  for (const core::CsvRow& row : table.rows) {
    Line line(table, row, problems);
    PairRun run{.node_a = line.name("node_a"),
                .node_b = line.name("node_b"),
                .gpus_per_node = line.gpu_count(),
                .collective = collective_name(line.text("collective")),
                .status = line.status(),
                .at = fmt::format("{}:line {}", name, row.line)};
    run.gpus_a = line.gpus("gpus_a", run.gpus_per_node);
    run.gpus_b = line.gpus("gpus_b", run.gpus_per_node);
    if (run.node_a == run.node_b && !run.node_a.empty())
      line.problem("node_b", fmt::format("'{}' is also node_a", run.node_b),
                   "a test between two nodes");
    const StatedBandwidths stated{line.rate("busbw_GBps"), line.rate("busbw_inplace_GBps")};
    std::optional<PairTest> test;
    if (run.status == RunStatus::ok) test = line.test(stated);
    if (run.status != RunStatus::ok || test) runs.add(std::move(run), test);
  }
  if (table.rows.empty()) problems.add("", "has no tests");
  problems.throw_if_any();
  return runs.take();
}

std::vector<PairRun> read_pair_runs(const std::string& file,
                                    std::optional<collectives::Kind> kind) {
  const std::string text = core::read_text_file(file);
  const std::size_t head = std::min(text.find("node_a"), text.find("node_b"));
  const bool is_log =
      text.find("# Rank") != std::string::npos || text.find("#  Rank") != std::string::npos;
  return is_log && head == std::string::npos ? nccl_tests_runs(file, text, kind)
                                             : parse_pair_runs(file, text);
}

}  // namespace railyard::hw
