#include "apps/replay/replay_rows.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "apps/output/row_values.hpp"
#include "collectives/workload/kind_times.hpp"
#include "collectives/workload/last_classes.hpp"
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

/// Whether runs differ in cluster or file: if so, tables have the columns `cluster` and `workload`.
struct RunNames {
  explicit RunNames(const std::vector<ReplayRun>& runs) {
    for (const ReplayRun& run : runs) {
      several_clusters = several_clusters || run.cluster != runs[0].cluster;
      several_files = several_files || run.file != runs[0].file;
    }
  }
  bool several_clusters = false, several_files = false;
};

/// Values that the rows of all tables share.
struct RunRow {
  const RunNames& names;
  const ReplayRun& run;

  [[nodiscard]] const Workload& workload() const { return run.replayed->workload; }
  [[nodiscard]] const RankClassRun& ranks(std::size_t number) const {
    return run.run.classes[number];
  }
};

template <class Row>
RowValue cluster_of(const Row& r) {
  return r.names.several_clusters ? RowValue(r.run.cluster) : RowValue();
}
template <class Row>
RowValue file_of(const Row& r) {
  return r.names.several_files ? RowValue(r.run.file) : RowValue();
}

/// A row of a class of ranks.
struct ClassRow : RunRow {
  std::size_t number = 0;
  RankTimes times{};

  [[nodiscard]] const RankClassRun& its_ranks() const { return ranks(number); }
  [[nodiscard]] std::string job() const { return run.replayed->job_of(its_ranks().ranks.front()); }
  [[nodiscard]] const std::string& role() const {
    return workload().roles()[its_ranks().role].name;
  }
};

constexpr std::array<Column<ClassRow>, 16> kClasses{{
    {"cluster", cluster_of<ClassRow>, kShared},
    {"workload", file_of<ClassRow>, kShared},
    {"job", [](const ClassRow& r) { return text_or_nothing(r.job()); }, kShared},
    {"class", [](const ClassRow& r) { return whole_number(r.number); }},
    {"role", [](const ClassRow& r) { return text_or_nothing(r.role()); }},
    {"ranks",
     [](const ClassRow& r) -> RowValue { return collectives::rank_text(r.its_ranks().ranks); }},
    {"count", [](const ClassRow& r) { return whole_number(r.its_ranks().ranks.size()); }},
    {"end_us", [](const ClassRow& r) { return microseconds(r.its_ranks().end); }, kHundredths},
    {"compute_us", [](const ClassRow& r) { return microseconds(r.times.compute); }, kHundredths},
    {"communication_us", [](const ClassRow& r) { return microseconds(r.times.communication); },
     kHundredths},
    {"exposed_us", [](const ClassRow& r) { return microseconds(r.times.exposed); }, kHundredths},
    {"peer_wait_us", [](const ClassRow& r) { return microseconds(r.times.peer_wait); },
     kHundredths},
    {"link_wait_us", [](const ClassRow& r) { return microseconds(r.times.link_wait); },
     kHundredths},
    {"copy_us", [](const ClassRow& r) { return microseconds(r.times.copy); }, kHundredths},
    {"host_us", [](const ClassRow& r) { return microseconds(r.times.host); }, kHundredths},
    {"idle_us", [](const ClassRow& r) { return microseconds(r.times.idle); }, kHundredths},
}};

/// A row of a kind of operation in a class of ranks.
struct KindRow : ClassRow {
  KindTimes kind{};

  [[nodiscard]] bool communicates() const { return !kind.family.empty(); }
};

RowValue if_communicates(const KindRow& r, Time time) {
  return r.communicates() ? microseconds(time) : RowValue();
}

constexpr ColumnStyle kSharedTime{.decimals = 2, .joins_heading = true};

constexpr std::array<Column<KindRow>, 22> kOperations{{
    {"cluster", cluster_of<KindRow>, kShared},
    {"workload", file_of<KindRow>, kShared},
    {"fidelity", [](const KindRow& r) -> RowValue { return r.run.fidelity; }, kShared},
    {"timing", [](const KindRow& r) -> RowValue { return r.run.timing; }, kShared},
    {"routing",
     [](const KindRow& r) -> RowValue {
       return std::string(core::enum_name(r.run.routing.policy));
     },
     kShared},
    {"qps", [](const KindRow& r) -> RowValue { return std::int64_t{r.run.routing.qps}; }, kShared},
    {"seed", [](const KindRow& r) { return whole_number(r.run.routing.seed); }, kShared},
    {"total_us", [](const KindRow& r) { return microseconds(r.run.run.total); }, kSharedTime},
    {"recorded_us", [](const KindRow& r) { return microseconds(r.run.replayed->recorded); },
     kSharedTime},
    {"job", [](const KindRow& r) { return text_or_nothing(r.job()); }, kShared},
    {"class", [](const KindRow& r) { return whole_number(r.number); }, kShared},
    {"ranks",
     [](const KindRow& r) -> RowValue { return collectives::rank_text(r.its_ranks().ranks); },
     kShared},
    {"operation", [](const KindRow& r) -> RowValue { return r.kind.kind; }},
    {"group", [](const KindRow& r) { return text_or_nothing(r.kind.family); }},
    {"operations", [](const KindRow& r) { return whole_number(r.kind.operations); }},
    {"bytes",
     [](const KindRow& r) {
       return r.communicates() ? RowValue(r.kind.bytes.count()) : RowValue();
     },
     {.is_size = true}},
    {"time_us", [](const KindRow& r) { return microseconds(r.kind.busy); }, kHundredths},
    {"share_pct", [](const KindRow& r) { return percent_of(r.kind.busy, r.run.run.total); },
     kTenths},
    {"exposed_us", [](const KindRow& r) { return microseconds(r.kind.exposed); }, kHundredths},
    {"alone_us", [](const KindRow& r) { return if_communicates(r, r.kind.alone); }, kHundredths},
    {"peer_wait_us", [](const KindRow& r) { return if_communicates(r, r.kind.peer_wait); },
     kHundredths},
    {"link_wait_us", [](const KindRow& r) { return if_communicates(r, r.kind.link_wait); },
     kHundredths},
}};

struct ShareRow : RunRow {
  PathShare share{};
};

constexpr std::array<Column<ShareRow>, 8> kPathShares{{
    {"cluster", cluster_of<ShareRow>, kShared},
    {"workload", file_of<ShareRow>, kShared},
    {"operation", [](const ShareRow& r) -> RowValue { return r.share.kind; }},
    {"group", [](const ShareRow& r) { return text_or_nothing(r.share.family); }},
    {"waited_for",
     [](const ShareRow& r) -> RowValue { return std::string(to_text(r.share.cause)); }},
    {"steps", [](const ShareRow& r) { return whole_number(r.share.steps); }},
    {"time_us", [](const ShareRow& r) { return microseconds(r.share.time); }, kHundredths},
    {"share_pct", [](const ShareRow& r) { return percent_of(r.share.time, r.run.run.total); },
     kTenths},
}};

struct StepRow : RunRow {
  CriticalStep step{};

  [[nodiscard]] const RankClassRun& its_ranks() const { return ranks(step.operation.which); }
  [[nodiscard]] const collectives::Operation& operation() const {
    const auto& program = workload().programs()[workload().roles()[its_ranks().role].program];
    return program.operations[step.operation.operation];
  }
};

constexpr std::array<Column<StepRow>, 9> kSteps{{
    {"cluster", cluster_of<StepRow>, kShared},
    {"workload", file_of<StepRow>, kShared},
    {"rank", [](const StepRow& r) { return whole_number(r.its_ranks().ranks.front()); }},
    {"number", [](const StepRow& r) { return whole_number(r.step.operation.operation); }},
    {"name", [](const StepRow& r) -> RowValue { return r.workload().names()[r.operation().name]; }},
    {"operation",
     [](const StepRow& r) -> RowValue { return std::string(to_text(r.operation().kind)); }},
    {"waited_for", [](const StepRow& r) -> RowValue { return std::string(to_text(r.step.cause)); }},
    {"begin_us", [](const StepRow& r) { return microseconds(r.step.begin); }, kHundredths},
    {"end_us", [](const StepRow& r) { return microseconds(r.step.end); }, kHundredths},
}};

/// A run in comparison with the first.
struct ComparedRun : RunRow {
  Time first{};
  collectives::LongestTimes longest{};  ///< of the classes that end last

  [[nodiscard]] double speedup() const {
    const bool is_empty = first == Time() || run.run.total == Time();
    return is_empty ? 1.0 : first.seconds() / run.run.total.seconds();
  }
};

constexpr std::array<Column<ComparedRun>, 7> kRuns{{
    {"cluster", cluster_of<ComparedRun>, kShared},
    {"workload", file_of<ComparedRun>, kShared},
    {"ranks", [](const ComparedRun& r) -> RowValue { return std::int64_t{r.workload().ranks()}; }},
    {"total_us", [](const ComparedRun& r) { return microseconds(r.run.run.total); }, kHundredths},
    {"speedup", [](const ComparedRun& r) -> RowValue { return r.speedup(); }, kThousandths},
    {"compute_us", [](const ComparedRun& r) { return microseconds(r.longest.compute); },
     kHundredths},
    {"exposed_us", [](const ComparedRun& r) { return microseconds(r.longest.exposed); },
     kHundredths},
}};

/// The kinds of operations of all classes of a run.
std::vector<KindRow> kind_rows(const RunRow& run) {
  std::vector<KindRow> rows;
  for (std::size_t i = 0; i < run.run.run.classes.size(); ++i)
    for (KindTimes& kind : collectives::kind_times(run.workload(), run.ranks(i)))
      rows.push_back({{run, i}, std::move(kind)});
  return rows;
}

}  // namespace

ReplayTables tabulate_replay(const std::vector<ReplayRun>& runs) {
  constexpr std::size_t kMostPrinted = 4;
  const RunNames names(runs);
  std::vector<KindRow> kinds, printed;  // printed: kinds of the classes that end last
  std::vector<ClassRow> classes;
  std::vector<ShareRow> shares;
  std::vector<StepRow> steps;
  std::vector<ComparedRun> compared;
  for (const ReplayRun& one : runs) {
    const RunRow run{names, one};
    const std::vector<std::size_t> last = collectives::last_classes(
        one.run, [&](std::uint32_t rank) { return one.replayed->job_of(rank); });
    for (KindRow& row : kind_rows(run)) {
      if (std::ranges::binary_search(last, row.number)) printed.push_back(row);
      kinds.push_back(std::move(row));
    }
    for (std::size_t i = 0; i < one.run.classes.size(); ++i)
      classes.push_back({run, i, collectives::rank_times(run.workload(), run.ranks(i))});
    for (PathShare& share : collectives::path_shares(run.workload(), one.run))
      shares.push_back({run, std::move(share)});
    for (const CriticalStep& step : one.run.critical_path) steps.push_back({run, step});
    if (runs.size() > 1)
      compared.push_back(
          {run, runs.front().run.total, collectives::longest_times(run.workload(), one.run, last)});
  }
  ReplayTables tables{.operations = tabulate(kOperations, kinds),
                      .runs = tabulate(kRuns, compared),
                      .classes = tabulate(kClasses, classes),
                      .critical_path = tabulate(kPathShares, shares),
                      .critical_steps = tabulate(kSteps, steps)};
  const bool is_long = std::ranges::any_of(
      runs, [](const ReplayRun& run) { return run.run.classes.size() > kMostPrinted; });
  if (is_long) tables.printed = tabulate(kOperations, printed);
  return tables;
}

}  // namespace railyard::apps
