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
  bool runs_on = false;  ///< no node is lost: it may continue unchanged
  SearchSpace space{};   ///< of the search for the fastest; gpus and top are ignored
};

/// The options of a running job.
struct ElasticResult {
  /// By amount of change: as now (if runs_on), the same split with another number of replicas, the
  /// fastest strategy.
  std::vector<ElasticOption> options{};
  std::optional<ScoredStrategy>
      nearest{};  ///< if nothing fits: the one that exceeds the memory least
};
/// Finds the options. Steps are computed by formula.
[[nodiscard]] ElasticResult elastic_options(const ElasticRequest& request);

/// The same sizes except dp, with as many replicas as the types have GPUs for. With classes of
/// replicas, micro-batches are divided again, and classes without GPUs for a replica are removed.
/// std::nullopt if no number of replicas divides the batch or, with classes, fits the memory.
[[nodiscard]] std::optional<ScoredStrategy> same_split(const CostContext& context,
                                                       const Strategy& before);

/// A mapping of `after` that moves little state, each rank on a GPU of its type. A rank keeps the
/// GPU of the rank with the same coordinates in a replica on the same types, if that GPU remains.
/// Other ranks use GPUs that held their stage and tensor slice, or else any. Requires enough GPUs
/// of each type.
[[nodiscard]] Mapping patched_mapping(const Placed& before, const Strategy& after,
                                      const GpusByType& left);

/// Time until the last node has received its bytes; each node receives over all its NICs.
[[nodiscard]] Time move_time(const Moves& moves, const topology::Cluster& cluster,
                             std::span<const GpuType> types);

/// The free GPUs except `lost` (sorted), at most `most` of them; GPUs of the job come first.
[[nodiscard]] std::vector<Rank> gpus_left(const PlaceProblem& problem, const Mapping& before,
                                          std::span<const Rank> lost,
                                          std::optional<std::size_t> most);

/// The same GPUs in a cluster with more nodes: the i-th node of a shape is the same node in both.
[[nodiscard]] Mapping in_grown_cluster(const Mapping& mapping, const topology::Cluster& before,
                                       const topology::Cluster& after);

/// Sets the payback time of each option against the first one. If the first one is "as now", the
/// others also wait for `restart`.
void add_payback_times(std::span<ElasticOption> options, Time restart);

}  // namespace railyard::placement
