#include "collectives/workload/role_times.hpp"

#include <utility>

#include "collectives/workload/kind_times.hpp"

namespace railyard::collectives {

std::vector<RoleTimes> role_times(const Workload& workload, const WorkloadRun& run) {
  std::vector<RoleTimes> rows(workload.roles().size());
  for (const RankClassRun& its : run.classes) {
    RoleTimes& row = rows[its.role];
    row.ranks += its.ranks.size();
    if (!row.role.empty() && its.end <= row.end) continue;
    row.role = workload.roles()[its.role].name;
    row.end = its.end;
    row.times = rank_times(workload, its);
  }
  return rows;
}

std::vector<RolePathShare> role_path_shares(const Workload& workload, const WorkloadRun& run) {
  const auto by_role_and_name = [&](const RankClassRun& ranks, const Operation& operation,
                                    const CriticalStep&) {
    return std::pair(ranks.role, operation.kind == OperationKind::collective
                                     ? workload.names()[operation.name]
                                     : std::string(to_text(operation.kind)));
  };
  std::vector<RolePathShare> rows;
  RolePathShare rest{.role = "all", .what = "others, each below 1 %"};
  for (const auto& [key, sum] : path_sums(workload, run, by_role_and_name)) {
    RolePathShare row{.role = workload.roles()[key.first].name,
                      .what = key.second,
                      .operations = static_cast<std::int64_t>(sum.steps),
                      .time = sum.time};
    row.share = run.total > Time() ? row.time.seconds() / run.total.seconds() : 0;
    if (row.share >= 0.01) {
      rows.push_back(std::move(row));
      continue;
    }
    rest.operations += row.operations;
    rest.time += row.time;
    rest.share += row.share;
  }
  if (rest.operations > 0) rows.push_back(std::move(rest));
  return rows;
}

}  // namespace railyard::collectives
