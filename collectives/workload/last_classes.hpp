#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "collectives/workload/workload.hpp"
#include "collectives/workload/workload_result.hpp"

namespace railyard::collectives {

/// The job of a rank.
using JobOfRank = std::function<std::string(std::uint32_t rank)>;

/// The class of ranks of each job that ends last, as ascending indices into WorkloadRun::classes.
/// Of classes that end together the first counts.
[[nodiscard]] std::vector<std::size_t> last_classes(const WorkloadRun& run,
                                                    const JobOfRank& job_of);

/// The longest computation and the longest exposed communication of these classes.
struct LongestTimes {
  Time compute{}, exposed{};
};
[[nodiscard]] LongestTimes longest_times(const Workload& workload, const WorkloadRun& run,
                                         const std::vector<std::size_t>& classes);

}  // namespace railyard::collectives
