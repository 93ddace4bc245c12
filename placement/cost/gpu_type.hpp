#pragma once

#include <span>
#include <vector>

#include "placement/cost/closed_form.hpp"
#include "placement/cost/cost_context.hpp"
#include "placement/model/processor.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::placement {

/// A type of GPU: equal nodes of a cluster, and those of their GPUs that may be used.
struct GpuType {
  Processor gpu{};
  NodeFabric fabric{};
  std::string node{};        ///< name of the nodes
  std::uint32_t shape = 0;   ///< index of the node's shape in the cluster
  std::vector<Rank> free{};  ///< usable GPUs, in the given order
  int taken = -1;            ///< limit on the number of used GPUs; -1: all
  [[nodiscard]] int gpus() const { return taken < 0 ? static_cast<int>(free.size()) : taken; }
  [[nodiscard]] int gpus_per_node() const { return static_cast<int>(fabric.gpus_per_node); }
};

/// The types of a cluster that have a free GPU, in the order of its groups: type 0 is A, type 1 is
/// B, ... Throws InputError for a GPU without a config, or for more than 26 types.
[[nodiscard]] std::vector<GpuType> gpu_types(const topology::Cluster& cluster,
                                             std::span<const Rank> free);

/// The type whose nodes have this shape; null if there is none.
[[nodiscard]] const GpuType* find_type(std::span<const GpuType> types, std::uint32_t shape);

/// The first type with the same hardware as `type`; it may differ in its node's name.
[[nodiscard]] int first_alike(std::span<const GpuType> types, int type);

/// The context of these types; communication[t] gives the times of collectives on type t. All
/// arguments must outlive it.
[[nodiscard]] CostContext cost_context(const Job& job, std::span<const GpuType> types,
                                       std::span<const CommunicationModel* const> communication,
                                       const DimensionOrder& order = kDefaultOrder);

/// The number of nodes that these numbers of GPUs of each type use; the nodes of a type are not
/// shared with another type.
[[nodiscard]] int nodes_of(std::span<const GpuType> types, std::span<const int> gpus);

/// "A" for 0, "B" for 1, ...
[[nodiscard]] std::string type_name(int type);

}  // namespace railyard::placement
