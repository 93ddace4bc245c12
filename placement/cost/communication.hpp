#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string_view>

#include "collectives/schedule/collective.hpp"
#include "core/units.hpp"

namespace railyard::placement {

/// Position of a group's members on nodes, and the groups beside it. Groups with equal shapes have
/// equal times.
struct GroupShape {
  std::uint32_t size = 1;
  std::uint32_t per_node = 1;     ///< members on each of its nodes
  std::uint32_t gpu_stride = 1;   ///< distance in GPUs between members of one node
  std::uint32_t node_stride = 1;  ///< distance in nodes between nodes of the group
  std::uint32_t beside = 1;       ///< number of equal groups on each of its nodes, this one
                                  ///< included
  auto operator<=>(const GroupShape&) const = default;
  [[nodiscard]] std::uint32_t nodes() const { return size / per_node; }
};

/// The group that performs a collective. Sequence parallelism uses the tensor group.
enum class GroupRole : std::uint8_t {
  tensor,
  context,
  expert,         ///< all-to-all of tokens
  pipeline,       ///< messages between stages
  data,           ///< gradients of dense weights, over all replicas
  shard,          ///< ranks that share one copy of the state that ZeRO shards
  copies,         ///< ranks that hold the same shard of each copy
  expert_data,    ///< gradients of experts, over ranks with the same experts
  expert_shard,   ///< like shard, for experts
  expert_copies,  ///< like copies, for experts
  embedding,      ///< first and last stage, which share the embedding table
};
inline constexpr std::array kGroupRoles{
    GroupRole::tensor,       GroupRole::context,       GroupRole::expert,   GroupRole::pipeline,
    GroupRole::data,         GroupRole::shard,         GroupRole::copies,   GroupRole::expert_data,
    GroupRole::expert_shard, GroupRole::expert_copies, GroupRole::embedding};

/// The dimension as strategies write it: "tp", "dp" (for data and shard), "expert dp", ...
[[nodiscard]] std::string_view name_of(GroupRole role);

/// Whether the groups of a role connect replicas, or the first with the last stage. Only these
/// groups can contain several types of GPU.
[[nodiscard]] bool connects_replicas(GroupRole role);

/// A collective that all groups of a role perform at the same time. `bytes` as in
/// collectives::Collective: the buffer of one rank; for all_gather, reduce_scatter and all_to_all
/// the total of its blocks. send_recv: every member sends `bytes` to the next one.
struct GroupCollective {
  collectives::Kind kind = collectives::Kind::all_reduce;
  GroupRole role = GroupRole::data;
  GroupShape shape{};
  double bytes = 0;
  bool operator==(const GroupCollective&) const = default;
};

/// Interface of models that predict the time of collectives: closed form or simulation. A model is
/// immutable; it may cache results, because a search calls it millions of times.
class CommunicationModel {
 public:
  virtual ~CommunicationModel() = default;
  [[nodiscard]] virtual Time time(const GroupCollective& collective) const = 0;
};

}  // namespace railyard::placement
