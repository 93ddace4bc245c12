#include "collectives/workload/slow_rank.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace railyard::collectives {
namespace {

Program slowed(Program program, double speed) {
  for (Operation& operation : program.operations)
    if (operation.kind == OperationKind::compute)
      operation.duration = Time::picoseconds(
          std::llround(static_cast<double>(operation.duration.picoseconds()) / speed));
  return program;
}

}  // namespace

Workload with_slow_rank(const Workload& workload, std::uint32_t rank, double speed) {
  assert(rank < workload.ranks() && speed > 0);
  Workload::Parts parts{.ranks = workload.ranks()};
  parts.names.assign(workload.names().begin(), workload.names().end());
  parts.families.assign(workload.families().begin(), workload.families().end());
  parts.programs.assign(workload.programs().begin(), workload.programs().end());
  parts.roles.assign(workload.roles().begin(), workload.roles().end());
  WorkloadRole& role = parts.roles[workload.role_of(rank)];
  WorkloadRole slow{.name = role.name + ", slow GPU",
                    .program = static_cast<std::uint32_t>(parts.programs.size()),
                    .ranks = {rank}};
  parts.programs.push_back(slowed(parts.programs[role.program], speed));
  std::erase(role.ranks, rank);
  const bool is_empty = role.ranks.empty();
  if (is_empty)
    role = std::move(slow);
  else
    parts.roles.push_back(std::move(slow));
  return Workload(std::move(parts));
}

}  // namespace railyard::collectives
