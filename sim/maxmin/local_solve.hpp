#pragma once

#include <cstddef>
#include <span>

#include "sim/maxmin/flow_table.hpp"
#include "sim/maxmin/water_filling.hpp"

namespace railyard::sim {

/// Changes since a max-min solution: links that lost load or gained capacity, links that lost
/// capacity, new streams (rate 0, on their lists).
struct Changes {
  std::span<const LinkIndex> eased;
  std::span<const LinkIndex> tightened;
  std::span<const Slot> fresh;
};

/// Repairs a max-min solution around the changes, and proves the result.
///
/// The initial set contains the streams that are directly affected: those with an eased link as
/// bottleneck, those that cross a tightened link, fresh streams, and those whose bottleneck a fresh
/// stream crosses. They are filled into the capacity that the others leave. Rates are max-min fair
/// exactly if each stream has a saturated link on which no stream is faster (or runs at its cap);
/// they are unique (Bertsekas and Gallager, Data Networks, 6.5.2). For a stream outside the set,
/// only links that the set crosses can violate this. Such streams join the set, and the filling is
/// repeated. So the result is exact for any size of the set.
///
/// Returns false, without changes, if the set would exceed `budget` streams.
[[nodiscard]] bool local_solve(FlowTable& table, WaterFilling& filling, const Changes& changes,
                               std::size_t budget);

}  // namespace railyard::sim
