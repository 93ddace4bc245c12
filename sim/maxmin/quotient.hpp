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
/// max-min problem: one stream per class of streams, one link per class of links, and as weight of
/// a hop the summed weight of the streams of that class on each link of that class.
///
/// That sum is counted twice: n streams that cross links of a class of m with weights of x in all,
/// and every one of the m carries as much, so n·x/m.
struct Quotient {
  LargeVector<std::uint32_t> class_of_slot;      ///< by slot; of live slots
  std::vector<std::uint32_t> class_of_link;      ///< by link; kUnheld where no stream crosses
  std::vector<LinkIndex> links;                  ///< that streams cross
  std::vector<Slot> representative;              ///< a stream of each class
  std::vector<double> capacities;                ///< by link class
  std::vector<std::uint32_t> link_count;         ///< by link class
  std::vector<std::vector<topology::Hop>> hops;  ///< by stream class; links are link classes
};

/// Fills in what a quotient says of links: `used` are those that streams cross, `colours` the
/// classes of links by link.
void number_links(Quotient& quotient, std::span<const double> capacities,
                  std::span<const Colour> colours, std::span<const LinkIndex> used);

/// Adds to what all streams of a class put on the links of a class together.
void add_class_hop(Quotient& quotient, std::size_t stream_class, std::uint32_t link_class,
                   double weight);

/// Divides those sums by the number of links of the class.
void share_out(Quotient& quotient);

}  // namespace railyard::sim
