#pragma once

#include <span>
#include <vector>

#include "sim/maxmin/flow_table.hpp"

namespace railyard::sim {

/// Rate caps as links: a stream of cap c crosses, with weight 1, a link of capacity c that nobody
/// else crosses. The constraint r <= c is the same, and no solver needs to know of caps.
///
/// The links come after those of the network in the table and are used again.
class CapLinks {
 public:
  explicit CapLinks(FlowTable& table)
      : table_(table), first_(static_cast<LinkIndex>(table.link_count())) {}

  /// Links from this number on are caps.
  [[nodiscard]] LinkIndex first() const { return first_; }
  /// A link that nobody crosses, of that capacity (B/s); kUnheld for an infinite one.
  LinkIndex take(double cap);
  /// The cap of a stream of the table; kUnheld where it has none.
  [[nodiscard]] LinkIndex of(Slot slot) const;
  /// Before these streams are erased from the table.
  void give_back(std::span<const Slot> slots);

 private:
  FlowTable& table_;
  LinkIndex first_;
  std::vector<LinkIndex> free_;
};

}  // namespace railyard::sim
