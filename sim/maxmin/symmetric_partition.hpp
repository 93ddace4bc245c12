#pragma once

#include <optional>
#include <span>

#include "sim/maxmin/quotient.hpp"
#include "sim/maxmin/stream.hpp"

namespace railyard::sim {

/// The coarsest equitable partition of streams that are given as sets (SymmetricStreams), if each
/// set lies within one class of it; nothing where it does not, or where the sets cannot show it.
/// `weights` are parallel to the sets' crossings, one set after another, or empty where all are 1.
/// Quotient::class_of_slot is by set.
///
/// Colour refinement as in equitable_partition, on sets: a set's colour is its bytes and the colour
/// of each of its legs, a link's its capacity and, for each crossing, the set's colour as many
/// times as streams cross. A leg has a colour only if all its links have the same one (with
/// weight): then, whichever of them a stream crosses, all streams of the set get the same colour,
/// and links the colours that one-by-one refinement gives them. If a leg's links differ at any time
/// the answer is nothing: nobody knows which stream crosses which.
///
/// O(crossings), however many streams there are.
[[nodiscard]] std::optional<Quotient> symmetric_partition(std::span<const SymmetricStreams> sets,
                                                          std::span<const double> weights,
                                                          std::span<const double> capacities);

}  // namespace railyard::sim
