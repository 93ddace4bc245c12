#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/cli/flag_groups.hpp"
#include "apps/output/rows.hpp"
#include "placement/jobs/place_problem.hpp"

namespace railyard::apps {

/// Files and names from which a problem is read.
struct ProblemSource {
  ClusterFlags cluster{};
  FabricFlags fabric{};
  std::string job{};
  std::string model{};                     ///< instead of a job, with default settings
  std::optional<int> batch{}, sequence{};  ///< empty: as in the job
  placement::DimensionOrder order = placement::kDefaultOrder;
  std::string occupied{};                  ///< a list of nodes, or a file
  std::vector<std::string> gemm_tables{};  ///< files; with several GPU types TYPE=FILE
  std::optional<Bytes> memory{};           ///< budget per GPU
  std::optional<std::uint64_t> seed{};     ///< empty: as in the cluster file
};

/// Reads the files and adds them to `provenance`. Throws InputError with all problems, for example
/// fewer free GPUs than requested.
[[nodiscard]] placement::PlaceProblem read_problem(const ProblemSource& source,
                                                   Provenance& provenance);

}  // namespace railyard::apps
