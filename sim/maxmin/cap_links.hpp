#pragma once

#include <span>
#include <vector>

#include "sim/maxmin/flow_table.hpp"

namespace railyard::sim {

/// Rate caps as links. A stream with cap c crosses, with weight 1, an additional link of capacity c
/// that no other stream crosses. This is the same constraint, r <= c, and solvers need no special
/// case for caps. Cap links follow the links of the network in the table, and are reused.
class CapLinks {
 public:
  explicit CapLinks(FlowTable& table)
      : table_(table), first_(static_cast<LinkIndex>(table.link_count())) {}

  /// Links from this number on are caps.
  [[nodiscard]] LinkIndex first() const { return first_; }
  /// An unused link with this capacity (B/s); kNoLink for infinity.
  LinkIndex take(double cap);
  /// The cap link of a stream of the table; kNoLink if it has none.
  [[nodiscard]] LinkIndex of(Slot slot) const;
  /// Releases the cap links of streams; call it before they are erased from the table.
  void give_back(std::span<const Slot> slots);

 private:
  FlowTable& table_;
  LinkIndex first_;
  std::vector<LinkIndex> free_;
};

}  // namespace railyard::sim
