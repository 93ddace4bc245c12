#include "apps/replay/replay_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "collectives/workload/kind_times.hpp"
#include "collectives/workload/rank_text.hpp"
#include "core/config/enum_names.hpp"
#include "topology/cluster/topology_names.hpp"

namespace railyard::apps {
namespace {

using collectives::CriticalStep;
using collectives::KindTimes;
using collectives::PathShare;
using collectives::RankClassRun;
using collectives::RankTimes;
using collectives::Workload;

RowValue micros(Time time) { return time.microseconds(); }
RowValue count(std::uint64_t n) { return static_cast<std::int64_t>(n); }
RowValue text_or_none(const std::string& text) {
  return text.empty() ? RowValue() : RowValue(text);
}
RowValue percent(Time part, Time whole) {
  return whole == Time() ? RowValue() : RowValue(100 * part.seconds() / whole.seconds());
}

constexpr ColumnStyle kShared{.joins_heading = true};
constexpr ColumnStyle kTime{.decimals = 2};
constexpr ColumnStyle kSharedTime{.decimals = 2, .joins_heading = true};
constexpr ColumnStyle kPercent{.decimals = 1};

/// What all tables say of a run: columns `cluster` and `workload` where runs differ in them.
class RunNames {
 public:
  explicit RunNames(const std::vector<ReplayRun>& runs) {
    for (const ReplayRun& run : runs) {
      several_clusters_ = several_clusters_ || run.cluster != runs[0].cluster;
      several_files_ = several_files_ || run.file != runs[0].file;
    }
  }
  void add(std::vector<RowValue>& row, const ReplayRun& run) const {
    row.push_back(several_clusters_ ? RowValue(run.cluster) : RowValue());
    row.push_back(several_files_ ? RowValue(run.file) : RowValue());
  }
  static std::vector<Heading> columns() { return {{"cluster", kShared}, {"workload", kShared}}; }

 private:
  bool several_clusters_ = false, several_files_ = false;
};

const std::string& role_of(const ReplayRun& run, const RankClassRun& ranks) {
  return run.replayed->workload.roles()[ranks.role].name;
}

std::vector<Heading> operation_columns() {
  std::vector<Heading> columns = RunNames::columns();
  for (const Heading& column : {Heading{"fidelity", kShared},
                                Heading{"timing", kShared},
                                Heading{"routing", kShared},
                                Heading{"qps", kShared},
                                Heading{"seed", kShared},
                                Heading{"total_us", kSharedTime},
                                Heading{"recorded_us", kSharedTime},
                                Heading{"job", kShared},
                                Heading{"class", kShared},
                                Heading{"ranks", kShared},
                                Heading{"operation", {}},
                                Heading{"group", {}},
                                Heading{"operations", {}},
                                Heading{"bytes", {.is_size = true}},
                                Heading{"time_us", kTime},
                                Heading{"share_pct", kPercent},
                                Heading{"exposed_us", kTime},
                                Heading{"alone_us", kTime},
                                Heading{"peer_wait_us", kTime},
                                Heading{"link_wait_us", kTime}})
    columns.push_back(column);
  return columns;
}

std::vector<RowValue> operation_row(const RunNames& names, const ReplayRun& run, std::size_t number,
                                    const KindTimes& kind) {
  const RankClassRun& ranks = run.run.classes[number];
  const bool communicates = !kind.family.empty();
  std::vector<RowValue> row;
  names.add(row, run);
  const auto& recorded = run.replayed->recorded;
  for (RowValue& value :
       std::vector<RowValue>{run.fidelity,
                             run.timing,
                             std::string(core::enum_name(run.routing.policy)),
                             std::int64_t{run.routing.qps},
                             static_cast<std::int64_t>(run.routing.seed),
                             micros(run.run.total),
                             recorded ? micros(*recorded) : RowValue(),
                             text_or_none(run.replayed->job_of(ranks.ranks.front())),
                             static_cast<std::int64_t>(number),
                             collectives::rank_text(ranks.ranks),
                             kind.kind,
                             text_or_none(kind.family),
                             count(kind.operations),
                             communicates ? RowValue(kind.bytes.count()) : RowValue(),
                             micros(kind.busy),
                             percent(kind.busy, run.run.total),
                             micros(kind.exposed),
                             communicates ? micros(kind.alone) : RowValue(),
                             communicates ? micros(kind.peer_wait) : RowValue(),
                             communicates ? micros(kind.link_wait) : RowValue()})
    row.push_back(std::move(value));
  return row;
}

/// The class of each job that ends last.
std::vector<std::size_t> last_classes(const ReplayRun& run) {
  std::map<std::string, std::size_t> last;
  for (std::size_t i = 0; i < run.run.classes.size(); ++i) {
    const RankClassRun& ranks = run.run.classes[i];
    const auto [known, is_new] = last.try_emplace(run.replayed->job_of(ranks.ranks.front()), i);
    if (!is_new && run.run.classes[known->second].end < ranks.end) known->second = i;
  }
  std::vector<std::size_t> classes;
  for (const auto& [job, number] : last) classes.push_back(number);
  std::sort(classes.begin(), classes.end());
  return classes;
}

void add_operations(const RunNames& names, const ReplayRun& run, ReplayTables& tables) {
  const std::vector<std::size_t> last = last_classes(run);
  for (std::size_t i = 0; i < run.run.classes.size(); ++i) {
    const bool is_last = std::find(last.begin(), last.end(), i) != last.end();
    for (const KindTimes& kind :
         collectives::kind_times(run.replayed->workload, run.run.classes[i])) {
      tables.operations.rows.push_back(operation_row(names, run, i, kind));
      if (tables.printed && is_last) tables.printed->rows.push_back(tables.operations.rows.back());
    }
  }
}

void add_classes(const RunNames& names, const ReplayRun& run, RowTable& table) {
  for (std::size_t i = 0; i < run.run.classes.size(); ++i) {
    const RankClassRun& ranks = run.run.classes[i];
    const RankTimes times = collectives::rank_times(run.replayed->workload, ranks);
    auto& row = table.rows.emplace_back();
    names.add(row, run);
    for (RowValue& value : std::vector<RowValue>{
             text_or_none(run.replayed->job_of(ranks.ranks.front())), static_cast<std::int64_t>(i),
             text_or_none(role_of(run, ranks)), collectives::rank_text(ranks.ranks),
             count(ranks.ranks.size()), micros(ranks.end), micros(times.compute),
             micros(times.communication), micros(times.exposed), micros(times.peer_wait),
             micros(times.link_wait), micros(times.copy), micros(times.host), micros(times.idle)})
      row.push_back(std::move(value));
  }
}

void add_critical_path(const RunNames& names, const ReplayRun& run, ReplayTables& tables) {
  const Workload& workload = run.replayed->workload;
  for (const PathShare& share : collectives::path_shares(workload, run.run)) {
    auto& row = tables.critical_path.rows.emplace_back();
    names.add(row, run);
    for (RowValue& value : std::vector<RowValue>{
             share.kind, text_or_none(share.family), std::string(to_text(share.cause)),
             count(share.steps), micros(share.time), percent(share.time, run.run.total)})
      row.push_back(std::move(value));
  }
  for (const CriticalStep& step : run.run.critical_path) {
    const RankClassRun& ranks = run.run.classes[step.operation.which];
    const auto& program = workload.programs()[workload.roles()[ranks.role].program];
    const auto& operation = program.operations[step.operation.operation];
    auto& row = tables.critical_steps.rows.emplace_back();
    names.add(row, run);
    for (RowValue& value : std::vector<RowValue>{
             static_cast<std::int64_t>(ranks.ranks.front()), std::int64_t{step.operation.operation},
             workload.names()[operation.name], std::string(to_text(operation.kind)),
             std::string(to_text(step.cause)), micros(step.begin), micros(step.end)})
      row.push_back(std::move(value));
  }
}

void add_run(const RunNames& names, const ReplayRun& run, const ReplayRun& first, RowTable& table) {
  Time compute, exposed;
  for (const std::size_t number : last_classes(run)) {
    const RankTimes times =
        collectives::rank_times(run.replayed->workload, run.run.classes[number]);
    compute = std::max(compute, times.compute);
    exposed = std::max(exposed, times.exposed);
  }
  auto& row = table.rows.emplace_back();
  names.add(row, run);
  const double ratio = first.run.total == Time() || run.run.total == Time()
                           ? 1.0
                           : first.run.total.seconds() / run.run.total.seconds();
  for (RowValue& value :
       std::vector<RowValue>{std::int64_t{run.replayed->workload.ranks()}, micros(run.run.total),
                             RowValue(ratio), micros(compute), micros(exposed)})
    row.push_back(std::move(value));
}

std::vector<Heading> with_run(std::initializer_list<Heading> own) {
  std::vector<Heading> columns = RunNames::columns();
  columns.insert(columns.end(), own.begin(), own.end());
  return columns;
}

}  // namespace

ReplayTables tabulate_replay(const std::vector<ReplayRun>& runs) {
  constexpr std::size_t kMostPrinted = 4;
  const RunNames names(runs);
  ReplayTables tables;
  tables.operations.columns = operation_columns();
  const bool is_long = std::any_of(runs.begin(), runs.end(), [](const ReplayRun& run) {
    return run.run.classes.size() > kMostPrinted;
  });
  if (is_long) tables.printed = RowTable{tables.operations.columns, {}};
  tables.runs.columns = with_run({{"ranks", {}},
                                  {"total_us", kTime},
                                  {"speedup", {.decimals = 3}},
                                  {"compute_us", kTime},
                                  {"exposed_us", kTime}});
  tables.classes.columns = with_run({{"job", kShared},
                                     {"class", {}},
                                     {"role", {}},
                                     {"ranks", {}},
                                     {"count", {}},
                                     {"end_us", kTime},
                                     {"compute_us", kTime},
                                     {"communication_us", kTime},
                                     {"exposed_us", kTime},
                                     {"peer_wait_us", kTime},
                                     {"link_wait_us", kTime},
                                     {"copy_us", kTime},
                                     {"host_us", kTime},
                                     {"idle_us", kTime}});
  tables.critical_path.columns = with_run({{"operation", {}},
                                           {"group", {}},
                                           {"began_behind", {}},
                                           {"steps", {}},
                                           {"time_us", kTime},
                                           {"share_pct", kPercent}});
  tables.critical_steps.columns = with_run({{"rank", {}},
                                            {"number", {}},
                                            {"name", {}},
                                            {"operation", {}},
                                            {"began_behind", {}},
                                            {"begin_us", kTime},
                                            {"end_us", kTime}});
  for (const ReplayRun& run : runs) {
    add_operations(names, run, tables);
    add_classes(names, run, tables.classes);
    add_critical_path(names, run, tables);
    if (runs.size() > 1) add_run(names, run, runs.front(), tables.runs);
  }
  return tables;
}

}  // namespace railyard::apps
