#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/cli/flag_groups.hpp"
#include "apps/output/rows.hpp"
#include "placement/jobs/place_problem.hpp"

namespace railyard::apps {

/// The files and names that a problem is read from.
struct ProblemSource {
  ClusterFlags cluster{};
  FabricFlags fabric{};
  std::string job{};
  std::string model{};                     ///< instead of a job, with default settings
  std::optional<int> batch{}, sequence{};  ///< nothing: as in the job
  placement::DimensionOrder order = placement::kDefaultOrder;
  std::string occupied{};                  ///< a list of nodes, or a file
  std::vector<std::string> gemm_tables{};  ///< files; with several types of GPU TYPE=FILE
  std::optional<Bytes> memory{};           ///< budget per GPU
  std::optional<std::uint64_t> seed{};     ///< nothing: the cluster file's
};

/// Reads the files and adds them to `provenance`. Throws InputError with what is wrong, for example
/// fewer free GPUs than asked for.
[[nodiscard]] placement::PlaceProblem read_problem(const ProblemSource& source,
                                                   Provenance& provenance);

}  // namespace railyard::apps
