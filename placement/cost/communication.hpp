#pragma once

#include <compare>
#include <cstdint>

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

/// What collectives cost: the plug point between placement and the engines. Implementations answer
/// from memory after the first question of a kind, so that a search may ask millions of times.
class CommunicationModel {
 public:
  virtual ~CommunicationModel() = default;
  /// Time of a collective that all groups of the shape do at once. `bytes` counts as in
  /// collectives::Collective: the buffer of a rank; for all_gather, reduce_scatter and all_to_all
  /// the total of its blocks. send_recv: every member sends `bytes` to the next.
  [[nodiscard]] virtual Time time(collectives::Kind kind, const GroupShape& shape,
                                  double bytes) = 0;
};

}  // namespace railyard::placement
