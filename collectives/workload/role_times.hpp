#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectives/workload/workload.hpp"
#include "collectives/workload/workload_result.hpp"
#include "core/units.hpp"

namespace railyard::collectives {

/// The times of a role.
struct RoleTimes {
  std::string role;
  std::size_t ranks = 0;
  Time end;         ///< end of the class of ranks that ends last
  RankTimes times;  ///< times of that class
};
/// One entry per role of the workload.
[[nodiscard]] std::vector<RoleTimes> role_times(const Workload& workload, const WorkloadRun& run);

/// The part of the critical path in one kind of work of a role.
struct RolePathShare {
  std::string role;
  std::string what;  ///< "compute", the name of a collective, "send"
  std::int64_t operations = 0;
  Time time{};
  double share = 0;  ///< share of the run, from 0 to 1
};
/// By role and kind of work. Entries below 1 % of the run are merged into one of the role "all".
[[nodiscard]] std::vector<RolePathShare> role_path_shares(const Workload& workload,
                                                          const WorkloadRun& run);

}  // namespace railyard::collectives
