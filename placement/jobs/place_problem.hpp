#pragma once

#include <optional>
#include <span>
#include <vector>

#include "placement/cost/closed_form.hpp"
#include "placement/cost/gpu_type.hpp"
#include "placement/jobs/occupancy.hpp"
#include "placement/mapping/ordered_mapping.hpp"
#include "placement/mapping/traffic.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/cluster/faults.hpp"
#include "topology/routing/routing.hpp"

namespace railyard::placement {

/// A job to be placed, the cluster, and the GPUs that the job may use. A value: with_occupancy()
/// and the like return variants of it.
struct PlaceProblem {
  topology::Cluster cluster;
  topology::RoutingOptions routing;
  std::vector<topology::TimedFault> faults{};  ///< broken or slower links
  Job job{};
  Occupancy occupancy{};
  DimensionOrder order = kDefaultOrder;
  std::vector<Rank> usable{};  ///< GPUs that the user allows, free or in use
  /// The GPU types that the job uses. Each has its free GPUs and the number of them that the job
  /// uses, which is smaller if there are nodes to choose from.
  std::vector<GpuType> types{};
  std::vector<ClosedForm> communication{};  ///< by type
  /// Traffic of other jobs in one second, in addition to that of `occupancy`.
  std::vector<Traffic> other_traffic{};

  /// The problem must outlive it.
  [[nodiscard]] CostContext context() const;
  /// How many GPUs the job uses.
  [[nodiscard]] int gpus() const;
  /// The free GPUs of all types.
  [[nodiscard]] std::vector<Rank> free() const { return free_gpus(types).joined(); }
};

/// The inputs of make_problem().
struct ProblemParts {
  topology::Cluster cluster;
  topology::RoutingOptions routing;
  std::vector<topology::TimedFault> faults{};
  Job job{};
  Occupancy occupancy{};
  DimensionOrder order = kDefaultOrder;
  std::vector<Rank> usable{};
  bool keeps_order = false;       ///< ranks use the usable GPUs in the given order
  std::optional<int> gpus{};      ///< number that the job uses; empty: all free GPUs
  std::optional<Bytes> memory{};  ///< budget per GPU, at most its memory
};

/// The GPUs of a list that are not in use.
[[nodiscard]] std::vector<Rank> free_gpus(const topology::Cluster& cluster,
                                          const Occupancy& occupancy, std::span<const Rank> usable);

/// Requires at least one free GPU, and at least as many as the job uses. On an occupied cluster,
/// the free GPUs that keep the job on few leaves come first. Throws InputError for GPUs without a
/// config.
[[nodiscard]] PlaceProblem make_problem(ProblemParts parts);

/// A job alone on the first `gpus` GPUs of a cluster (empty: on all), with the routing in the
/// cluster's file. Throws InputError as make_problem() does.
[[nodiscard]] PlaceProblem problem_on(topology::Cluster cluster, Job job,
                                      std::optional<int> gpus = {});

/// The problem with another occupancy, on gpus[t] of the free GPUs of each type t (empty: on all).
/// Throws InputError if fewer are free.
[[nodiscard]] PlaceProblem with_occupancy(PlaceProblem problem, Occupancy occupancy,
                                          std::span<const int> gpus = {});

/// The problem with another batch.
[[nodiscard]] PlaceProblem with_batch(PlaceProblem problem, int batch);

/// The problem restricted to those of its GPU types that `types` contains (by shape of the nodes).
[[nodiscard]] PlaceProblem with_types_of(PlaceProblem problem, std::span<const GpuType> types);

/// The problem on another number of its GPUs, which must be of one type.
[[nodiscard]] PlaceProblem with_gpus(PlaceProblem problem, int gpus);

}  // namespace railyard::placement
