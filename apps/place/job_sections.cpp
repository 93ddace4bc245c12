#include "apps/place/job_sections.hpp"

#include <fmt/format.h>

#include <array>

#include "apps/output/row_values.hpp"
#include "placement/jobs/leaf_groups.hpp"

namespace railyard::apps {
namespace {

using placement::StartOption;

constexpr double kHour = 3600;

struct MoveRow {
  int plan = 0;
  std::string job, from, to, leaf_groups;
  const placement::Repacking& repacking;
};

constexpr std::array<Column<MoveRow>, 9> kMoves{{
    {"plan", [](const MoveRow& r) -> RowValue { return std::int64_t{r.plan}; }},
    {"move", [](const MoveRow& r) -> RowValue { return r.job; }},
    {"from_nodes", [](const MoveRow& r) -> RowValue { return r.from; }},
    {"to_nodes", [](const MoveRow& r) -> RowValue { return r.to; }},
    {"leaf_groups", [](const MoveRow& r) -> RowValue { return r.leaf_groups; }},
    {"step_s", [](const MoveRow& r) -> RowValue { return r.repacking.step_before; }, kThousandths},
    {"step_after_s", [](const MoveRow& r) -> RowValue { return r.repacking.step_after; },
     kThousandths},
    {"gain_pct",
     [](const MoveRow& r) -> RowValue {
       return 100 * (1 - r.repacking.step_after / r.repacking.step_before);
     },
     kTenths},
    {"payback_s", [](const MoveRow& r) { return if_known(r.repacking.payback); }, kTenths},
}};

RowValue hours(const std::optional<double>& seconds) {
  return seconds ? RowValue(*seconds / kHour) : RowValue();
}

constexpr std::array<Column<StartOption>, 8> kStarts{{
    {"start_h", [](const StartOption& s) { return hours(s.wait); }, kTenths},
    {"when",
     [](const StartOption& s) -> RowValue { return s.after.empty() ? "now" : s.after + " ends"; }},
    {"free_gpus",
     [](const StartOption& s) -> RowValue { return static_cast<std::int64_t>(s.free_gpus); }},
    {"nodes", [](const StartOption& s) -> RowValue { return s.nodes; }},
    {"leaf_groups",
     [](const StartOption& s) -> RowValue { return static_cast<std::int64_t>(s.leaf_groups); }},
    {"step_s", [](const StartOption& s) -> RowValue { return s.step; }, kThousandths},
    {"done_h", [](const StartOption& s) { return hours(s.done); }, kTenths},
    {"break_even_h", [](const StartOption& s) { return hours(s.break_even); }, kTenths},
}};

}  // namespace

RowTable tabulate_repackings(const placement::PlaceProblem& problem, const placement::Tiers& tiers,
                             std::span<const placement::Repacking> repackings) {
  std::vector<MoveRow> rows;
  for (std::size_t plan = 0; plan < repackings.size(); ++plan)
    for (const placement::JobMove& move : repackings[plan].moves)
      rows.push_back(
          {.plan = static_cast<int>(plan) + 1,
           .job = problem.occupancy.jobs[move.tenant].name,
           .from = placement::node_list(problem.cluster, move.from),
           .to = placement::node_list(problem.cluster, move.to),
           .leaf_groups = fmt::format("{} -> {}", placement::count_leaf_groups(tiers, move.from),
                                      placement::count_leaf_groups(tiers, move.to)),
           .repacking = repackings[plan]});
  return tabulate(kMoves, rows);
}

RowTable tabulate_start_options(std::span<const StartOption> starts) {
  return tabulate(kStarts, starts);
}

}  // namespace railyard::apps
