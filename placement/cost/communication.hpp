#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string_view>

#include "collectives/schedule/collective.hpp"
#include "core/units.hpp"

namespace railyard::placement {

/// Where the members of a group sit, and what runs beside it: groups with one shape take one time.
struct GroupShape {
  std::uint32_t size = 1;
  std::uint32_t per_node = 1;     ///< members on each node
  std::uint32_t gpu_stride = 1;   ///< between members of one node
  std::uint32_t node_stride = 1;  ///< between nodes of the group
  std::uint32_t beside = 1;       ///< equal groups that share each of its nodes, itself included
  auto operator<=>(const GroupShape&) const = default;
  [[nodiscard]] std::uint32_t nodes() const { return size / per_node; }
};

/// The parallel dimension whose groups do a collective. Sequence parallelism uses the tensor group.
enum class GroupRole : std::uint8_t {
  tensor,
  context,
  expert,         ///< all-to-all of tokens
  pipeline,       ///< messages between stages
  data,           ///< gradients of dense weights, over all replicas
  shard,          ///< replicas that share one copy of what ZeRO shards
  copies,         ///< ranks that hold the same shard of each copy
  expert_data,    ///< gradients of experts
  expert_shard,   ///< like shard, of experts
  expert_copies,  ///< like copies, of experts
  embedding,      ///< first and last stage, which share a table
};
inline constexpr std::array kGroupRoles{
    GroupRole::tensor,       GroupRole::context,       GroupRole::expert,   GroupRole::pipeline,
    GroupRole::data,         GroupRole::shard,         GroupRole::copies,   GroupRole::expert_data,
    GroupRole::expert_shard, GroupRole::expert_copies, GroupRole::embedding};

/// The dimension as strategies write it: "tp", "dp" (of data and shard), "expert dp", ...
[[nodiscard]] std::string_view name_of(GroupRole role);

/// Whether the groups connect replicas, or the two ends of a pipeline. All other groups lie on one
/// type of GPU.
[[nodiscard]] bool connects_replicas(GroupRole role);

/// A collective that all groups of a role do at the same time. `bytes` counts as in
/// collectives::Collective: the buffer of a rank; for all_gather, reduce_scatter and all_to_all
/// the total of its blocks. send_recv: every member sends `bytes` to the next.
struct GroupCollective {
  collectives::Kind kind = collectives::Kind::all_reduce;
  GroupRole role = GroupRole::data;
  GroupShape shape{};
  double bytes = 0;
  bool operator==(const GroupCollective&) const = default;
};

/// What collectives cost: the plug point between placement and the engines. A model is an immutable
/// value; it may remember answers, so that a search can ask millions of times.
class CommunicationModel {
 public:
  virtual ~CommunicationModel() = default;
  [[nodiscard]] virtual Time time(const GroupCollective& collective) const = 0;
};

}  // namespace railyard::placement
