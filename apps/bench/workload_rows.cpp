#include "apps/bench/workload_rows.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "apps/output/row_values.hpp"
#include "collectives/workload/kind_times.hpp"

namespace railyard::apps {
namespace {

using collectives::KindTimes;
using collectives::RankClassRun;
using collectives::Workload;
using collectives::WorkloadRun;

/// Times by kind of operation, of the rank of a role that ends last.
std::vector<KindTimes> kinds_of(const Workload& workload, const WorkloadRun& run,
                                std::uint32_t role) {
  const RankClassRun* last = nullptr;
  for (const RankClassRun& ranks : run.classes)
    if (ranks.role == role && (last == nullptr || ranks.end > last->end)) last = &ranks;
  return last == nullptr ? std::vector<KindTimes>() : collectives::kind_times(workload, *last);
}

struct KindRow {
  std::string role;
  KindTimes live;
  std::optional<Time> predicted{}, predicted_exposed{};
};

}  // namespace

RowTable tabulate_workload(std::span<const WorkloadRow> rows) {
  using Row = WorkloadRow;
  static constexpr std::array<Column<Row>, 12> kColumns{{
      {"workload", [](const Row& r) -> RowValue { return r.workload; }, kShared},
      {"backend", [](const Row& r) -> RowValue { return r.backend; }, kShared},
      {"ranks", [](const Row& r) -> RowValue { return std::int64_t{r.ranks}; }, kShared},
      {"seed", [](const Row& r) -> RowValue { return static_cast<std::int64_t>(r.seed); }, kShared},
      {"time_us", [](const Row& r) { return microseconds(r.p50); }, kHundredths},
      {"min_us", [](const Row& r) { return microseconds(r.least); }, kHundredths},
      {"p50_us", [](const Row& r) { return microseconds(r.p50); }, kHundredths},
      {"p99_us", [](const Row& r) { return microseconds(r.p99); }, kHundredths},
      {"skew_us", [](const Row& r) { return microseconds(r.skew); }, kHundredths},
      {"wrong", [](const Row& r) -> RowValue { return r.wrong; }},
      {"predicted_us", [](const Row& r) { return microseconds(r.predicted); }, kHundredths},
      {"error_pct",
       [](const Row& r) -> RowValue {
         if (!r.predicted || r.p50 <= Time()) return {};
         return (r.predicted->seconds() / r.p50.seconds() - 1) * 100;
       },
       kTenths},
  }};
  return tabulate(kColumns, rows);
}

RowTable tabulate_kinds(const Workload& workload, const WorkloadRun& live,
                        const std::optional<WorkloadRun>& predicted) {
  using Row = KindRow;
  static constexpr std::array<Column<Row>, 8> kColumns{{
      {"role", [](const Row& r) { return text_or_nothing(r.role); }},
      {"operation", [](const Row& r) -> RowValue { return r.live.kind; }},
      {"group", [](const Row& r) { return text_or_nothing(r.live.family); }},
      {"operations",
       [](const Row& r) -> RowValue { return static_cast<std::int64_t>(r.live.operations); }},
      {"busy_us", [](const Row& r) { return microseconds(r.live.busy); }, kHundredths},
      {"exposed_us", [](const Row& r) { return microseconds(r.live.exposed); }, kHundredths},
      {"predicted_busy_us", [](const Row& r) { return microseconds(r.predicted); }, kHundredths},
      {"predicted_exposed_us", [](const Row& r) { return microseconds(r.predicted_exposed); },
       kHundredths},
  }};
  std::vector<KindRow> rows;
  for (std::uint32_t role = 0; role < workload.roles().size(); ++role) {
    const std::vector<KindTimes> expected =
        predicted ? kinds_of(workload, *predicted, role) : std::vector<KindTimes>();
    for (const KindTimes& kind : kinds_of(workload, live, role)) {
      KindRow& row = rows.emplace_back(KindRow{.role = workload.roles()[role].name, .live = kind});
      const auto same = std::ranges::find_if(expected, [&](const KindTimes& other) {
        return other.kind == kind.kind && other.family == kind.family;
      });
      if (same == expected.end()) continue;
      row.predicted = same->busy;
      row.predicted_exposed = same->exposed;
    }
  }
  return tabulate(kColumns, rows);
}

}  // namespace railyard::apps
