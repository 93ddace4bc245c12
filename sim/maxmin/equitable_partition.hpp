#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "sim/maxmin/flow_table.hpp"
#include "sim/maxmin/quotient.hpp"

namespace railyard::sim {

/// The coarsest equitable partition, by colour refinement: the colour of a stream combines its
/// bytes and the colours of its links with their weights; the colour of a link combines its
/// capacity and the colours of its streams. Repeated until no class splits. Streams with equal
/// paths start in one class.
///
/// Folding is exact: progressive filling treats all members of a class equally (by induction over
/// its rounds, links of a class have equal remaining capacity and equal weight of unfilled
/// streams). So equal rates within a class are max-min fair, and max-min fair rates are unique.
///
/// Colours are hashes (Colour). Returns nothing if there would be more than `most` classes of
/// streams, or if a sample of streams has nearly as many classes as streams.
[[nodiscard]] std::optional<Quotient> equitable_partition(const FlowTable& table,
                                                          std::span<const double> bytes_by_slot,
                                                          std::size_t most);

}  // namespace railyard::sim
