#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/maxmin/flow_table.hpp"
#include "topology/hop.hpp"

namespace railyard::sim {

/// Streams and links of a table folded into classes, as a smaller max-min problem: one stream per
/// class of streams, one link per class of links, and as weight of a hop the summed weight of the
/// streams of that class on each link of that class.
struct Quotient {
  LargeVector<std::uint32_t> class_of_slot;      ///< by slot; of live slots
  std::vector<std::uint32_t> class_of_link;      ///< by link; kUnheld where no stream crosses
  std::vector<LinkIndex> links;                  ///< that streams cross
  std::vector<Slot> representative;              ///< a stream of each class
  std::vector<double> capacities;                ///< by link class
  std::vector<std::vector<topology::Hop>> hops;  ///< by stream class; links are link classes
};

/// The coarsest equitable partition, by colour refinement: a stream's colour is its bytes
/// and the colours of its links with their weights, a link's its capacity and the colours of its
/// streams; repeated until no class splits. Streams of equal path are one class from the start.
///
/// Why folding is exact: progressive filling of an equitable partition treats all members of a
/// class alike (by induction over its rounds: links of a class have equal capacity left and equal
/// weight of unfilled streams), so equal rates within a class are max-min fair, and max-min is
/// unique.
///
/// Colours are 64-bit hashes; two different ones collide with a probability below n²/2^64 (1e-6 for
/// ten million streams). Returns nothing when there would be more than `most` classes of streams.
[[nodiscard]] std::optional<Quotient> equitable_partition(const FlowTable& table,
                                                          std::span<const double> bytes_by_slot,
                                                          std::size_t most);

}  // namespace railyard::sim
