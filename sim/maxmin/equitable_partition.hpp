#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "sim/maxmin/flow_table.hpp"
#include "sim/maxmin/quotient.hpp"

namespace railyard::sim {

/// The coarsest equitable partition, by colour refinement: a stream's colour is its bytes
/// and the colours of its links with their weights, a link's its capacity and the colours of its
/// streams; repeated until no class splits. Streams of equal path are one class from the start.
///
/// Why folding is exact: progressive filling of an equitable partition treats all members of a
/// class alike (by induction over its rounds: links of a class have equal capacity left and equal
/// weight of unfilled streams), so equal rates within a class are max-min fair, and max-min is
/// unique.
///
/// Colours are hashes (Colour). Returns nothing when there would be more than `most` classes of
/// streams, or nearly as many as a sample has streams.
[[nodiscard]] std::optional<Quotient> equitable_partition(const FlowTable& table,
                                                          std::span<const double> bytes_by_slot,
                                                          std::size_t most);

}  // namespace railyard::sim
