#pragma once

#include <cstddef>
#include <span>

#include "sim/maxmin/flow_table.hpp"
#include "sim/maxmin/water_filling.hpp"

namespace railyard::sim {

/// What changed since a max-min solution: links that lost load or gained capacity, links that lost
/// capacity, streams that are new (rate 0, on their lists).
struct Changes {
  std::span<const LinkIndex> eased;
  std::span<const LinkIndex> tightened;
  std::span<const Slot> fresh;
};

/// Mends a max-min solution around what changed, and proves the result.
///
/// Seeds are the streams that may change at once: those that an eased link held back, those that
/// cross a tightened link, the fresh ones and those held back where the fresh ones go. They are
/// filled anew into what the others leave. A rate vector is max-min fair exactly when each stream
/// has a saturated link on which no stream is faster (or runs at its cap); max-min is unique
/// (Bertsekas and Gallager, Data Networks, 6.5.2). Only links that the set crosses can break that
/// for a stream outside; where one does, the stream joins the set and the filling is repeated. So
/// the result is exact, however small the set stayed.
///
/// Returns false, with everything as it was, if the set would exceed `budget` streams.
[[nodiscard]] bool local_solve(FlowTable& table, WaterFilling& filling, const Changes& changes,
                               std::size_t budget);

}  // namespace railyard::sim
