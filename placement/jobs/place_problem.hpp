#pragma once

#include <optional>
#include <vector>

#include "placement/cost/closed_form.hpp"
#include "placement/cost/gpu_type.hpp"
#include "placement/jobs/occupancy.hpp"
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
  std::vector<Rank> usable{};  ///< GPUs that the user allows, in use or not
  std::vector<Rank> free{};    ///< those not in use; more than `gpus` where nodes may be chosen
  int gpus = 0, gpus_per_node = 1;
  /// Types of the first `gpus` free GPUs. With several types, `gpu` and `gpus_per_node` are those
  /// of the first.
  std::vector<GpuType> types{};
  Processor gpu{};
  std::vector<ClosedForm> communication{};  ///< by type
  /// Traffic of other jobs in one second, in addition to that of `occupancy`.
  std::vector<Traffic> other_traffic{};

  /// The problem must outlive it.
  [[nodiscard]] CostContext context() const;
};

/// What a problem is made of.
struct ProblemParts {
  topology::Cluster cluster;
  topology::RoutingOptions routing;
  std::vector<topology::TimedFault> faults{};
  Job job{};
  Occupancy occupancy{};
  DimensionOrder order = kDefaultOrder;
  std::vector<Rank> usable{};
  bool keeps_order = false;       ///< ranks go over the usable GPUs in their order
  std::optional<int> gpus{};      ///< how many the job uses; nothing: all that are free
  std::optional<Bytes> memory{};  ///< budget of a GPU, below its own memory
  GemmTable measured{};           ///< matrix products of the first type
};

/// The GPUs of a list that are not in use.
[[nodiscard]] std::vector<Rank> free_gpus(const topology::Cluster& cluster,
                                          const Occupancy& occupancy, std::span<const Rank> usable);

/// Requires at least one free GPU, and at least as many as the job uses. On an occupied cluster,
/// the free GPUs that keep the job on few leaves come first. Throws InputError for GPUs without a
/// config.
[[nodiscard]] PlaceProblem make_problem(ProblemParts parts);

/// The problem with other GPUs in use, on `gpus` of the free ones (0: on all), all of the same type
/// as before. Throws InputError where fewer are free.
[[nodiscard]] PlaceProblem with_occupancy(PlaceProblem problem, Occupancy occupancy, int gpus);

/// The problem with another batch.
[[nodiscard]] PlaceProblem with_batch(PlaceProblem problem, int batch);

/// The problem on another number of its GPUs.
[[nodiscard]] PlaceProblem with_gpus(PlaceProblem problem, int gpus);

}  // namespace railyard::placement
