#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/maxmin/colour.hpp"
#include "sim/maxmin/flow_table.hpp"
#include "topology/routing/hop.hpp"

namespace railyard::sim {

/// Streams and links of a table folded into the classes of an equitable partition, as a smaller
/// max-min problem: one stream per class of streams, one link per class of links, with the total
/// weight of the streams of the class on each link of the class as weight of a hop.
///
/// Example: n streams that each cross links of a class of m links with total weight x put a weight
/// of n·x/m on each of these links.
struct Quotient {
  LargeVector<std::uint32_t> class_of_slot;      ///< by slot, for live slots
  std::vector<std::uint32_t> class_of_link;      ///< by link; kNoLink for unused links
  std::vector<LinkIndex> links;                  ///< used links
  std::vector<Slot> representative;              ///< a stream of each class
  std::vector<double> capacities;                ///< by link class
  std::vector<std::uint32_t> link_count;         ///< by link class
  std::vector<std::vector<topology::Hop>> hops;  ///< by stream class; links are link classes
};

/// Fills in the link members of a quotient. `used`: links that streams cross; `colours`: classes of
/// links, by link.
void number_links(Quotient& quotient, std::span<const double> capacities,
                  std::span<const Colour> colours, std::span<const LinkIndex> used);

/// Adds to the total weight of a stream class on a link class.
void add_class_hop(Quotient& quotient, std::size_t stream_class, std::uint32_t link_class,
                   double weight);

/// Divides the totals by the number of links of the class.
void share_out(Quotient& quotient);

}  // namespace railyard::sim
