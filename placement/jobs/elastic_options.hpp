#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "placement/jobs/elastic.hpp"
#include "placement/jobs/place_problem.hpp"
#include "placement/search/search.hpp"

namespace railyard::placement {

/// A strategy that a running job could change to when nodes are lost or added, and the cost of the
/// change.
struct ElasticOption {
  std::string name{};  ///< "as now", "same split", "fastest"
  int gpus = 0;
  Time step{};
  bool fits = false;
  Strategy strategy{};
  Mapping mapping{};
  Moves moves{};
  Time move{};  ///< time to move the state, each node over all its NICs
  std::optional<Time> payback{};
};

/// A running job and the GPUs that it may use from now on.
struct ElasticRequest {
  const PlaceProblem& problem;  ///< with the nodes that are there now
  const Placed& before;
  std::span<const Rank> left;
  bool runs_on = false;  ///< no node is lost: it may go on as it is
  SearchSpace space{};   ///< what the fastest is searched in; gpus and top do not count
};

struct ElasticResult {
  /// The least change first: as now (where it runs on), the same split with other replicas, the
  /// fastest.
  std::vector<ElasticOption> options{};
  std::optional<Scored> nearest{};  ///< where nothing fits: what exceeds the memory least
};
[[nodiscard]] ElasticResult elastic_options(const ElasticRequest& request);

/// The same widths and stages with as many replicas as the types have GPUs for. Where replicas are
/// of classes, micro-batches are divided anew, and classes without room for a replica are left out.
/// std::nullopt where no number of replicas divides the batch, or with classes, fits the memory.
[[nodiscard]] std::optional<Scored> same_split(const CostContext& context, const Strategy& before);

/// The mapping of `after` that moves little, each rank on a GPU of its type. A rank keeps the GPU
/// of the rank with the same coordinates in a replica on the same types, where it is left. Of the
/// others, those whose stage and tensor slice stay the same take GPUs that hold that slice; the
/// rest take any. Requires enough GPUs of each type.
[[nodiscard]] Mapping patched_mapping(const Placed& before, const Strategy& after,
                                      const GpusByType& left);

/// Time until the last node has what it needs, each over all its NICs.
[[nodiscard]] Time move_time(const Moves& moves, const topology::Cluster& cluster,
                             std::span<const GpuType> types);

/// The free GPUs that are not lost (a sorted list), at most `most` of them, those of the job first.
[[nodiscard]] std::vector<Rank> gpus_left(const PlaceProblem& problem, const Mapping& before,
                                          std::span<const Rank> lost,
                                          std::optional<std::size_t> most);

/// The same GPUs in a cluster that has grown: the i-th node of a shape stays that.
[[nodiscard]] Mapping in_grown_cluster(const Mapping& mapping, const topology::Cluster& before,
                                       const topology::Cluster& after);

/// Sets the payback time of each option against the first, which runs on (then the others wait for
/// `restart` too) or moves least.
void add_payback_times(std::span<ElasticOption> options, Time restart);

}  // namespace railyard::placement
