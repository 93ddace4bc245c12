#pragma once

#include <optional>
#include <span>

#include "sim/maxmin/quotient.hpp"
#include "sim/maxmin/stream.hpp"

namespace railyard::sim {

/// The coarsest equitable partition of streams given as sets (SymmetricStreams), if each set is
/// within one class. Nothing if this is false or cannot be derived from the sets. `weights`:
/// parallel to the crossings of all sets, or empty if all are 1. Quotient::class_of_slot is by set.
///
/// Colour refinement as in equitable_partition(), on sets. The colour of a set combines its bytes
/// and the colours of its legs. The colour of a link combines its capacity and, for each crossing,
/// the colour of the set as many times as streams cross. A leg has a colour only if all its links
/// have the same colour and weight; then all streams of the set have the same colour, and the
/// colours of links equal those of refinement by single streams. If the links of a leg differ, the
/// result is nothing, because it is unknown which stream crosses which link.
///
/// O(crossings), independent of the number of streams.
[[nodiscard]] std::optional<Quotient> symmetric_partition(std::span<const SymmetricStreams> sets,
                                                          std::span<const double> weights,
                                                          std::span<const double> capacities);

}  // namespace railyard::sim
