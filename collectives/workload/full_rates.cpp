#include "collectives/workload/full_rates.hpp"

#include <algorithm>

namespace railyard::collectives {

namespace {

bool has_start(const Operation& operation) {
  return operation.kind == OperationKind::collective && operation.duration > Time();
}

}  // namespace

bool has_shares(const Workload& workload) {
  return std::ranges::any_of(workload.programs(), [](const Program& program) {
    return std::ranges::any_of(program.operations, [](const Operation& operation) {
      return operation.rate_share < 1 || operation.compute_share > 0 || has_start(operation);
    });
  });
}

Workload with_full_rates(const Workload& workload) {
  Workload::Parts parts{.ranks = workload.ranks(),
                        .names = {workload.names().begin(), workload.names().end()},
                        .families = {workload.families().begin(), workload.families().end()},
                        .programs = {workload.programs().begin(), workload.programs().end()},
                        .roles = {workload.roles().begin(), workload.roles().end()}};
  for (Program& program : parts.programs)
    for (Operation& operation : program.operations) {
      operation.rate_share = 1;
      operation.compute_share = 0;
      if (has_start(operation)) operation.duration = Time();
    }
  return Workload(std::move(parts));
}

}  // namespace railyard::collectives
