#pragma once

#include <span>
#include <vector>

#include "placement/cost/closed_form.hpp"
#include "placement/cost/cost_context.hpp"
#include "placement/model/processor.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::placement {

/// Equal nodes of a cluster, and those of their GPUs that may be used.
struct GpuType {
  Processor gpu{};
  NodeFabric fabric{};
  std::string node{};        ///< name of the nodes
  std::uint32_t shape = 0;   ///< of the nodes, as the cluster numbers shapes
  std::vector<Rank> free{};  ///< in the order in which they were given
  int taken = -1;            ///< so many of them at most are to be used; -1: all
  [[nodiscard]] int gpus() const { return taken < 0 ? static_cast<int>(free.size()) : taken; }
  [[nodiscard]] int gpus_per_node() const { return static_cast<int>(fabric.gpus_per_node); }
};

/// The types of a cluster that have a free GPU, in the order of its groups: type 0 is called A,
/// type 1 B, ... Throws InputError for a GPU that has no config, or more than 26 types.
[[nodiscard]] std::vector<GpuType> gpu_types(const topology::Cluster& cluster,
                                             std::span<const Rank> free);

/// The type whose nodes have this shape; null where there is none.
[[nodiscard]] const GpuType* find_type(std::span<const GpuType> types, std::uint32_t shape);

/// The first type with the same numbers as `type`: itself, or one whose nodes have another name
/// alone.
[[nodiscard]] int first_alike(std::span<const GpuType> types, int type);

/// The context of these types; `communication` prices collectives on each. All must outlive it.
[[nodiscard]] CostContext cost_context(const Job& job, std::span<const GpuType> types,
                                       std::span<const CommunicationModel* const> communication,
                                       const DimensionOrder& order = kDefaultOrder);

/// Nodes that so many GPUs of each type take, whole nodes of each.
[[nodiscard]] int nodes_of(std::span<const GpuType> types, std::span<const int> gpus);

/// "A" for 0.
[[nodiscard]] std::string type_name(int type);

}  // namespace railyard::placement
