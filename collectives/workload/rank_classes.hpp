#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collectives/workload/communications.hpp"

namespace railyard::collectives {

/// The input of a simulation engine to the classes of ranks: a number for the time of each load,
/// and the links that it uses and that can saturate, each with a number for the kind of use. Equal
/// numbers mean equal properties.
struct PhysicalLoads {
  struct Crossing {
    std::uint32_t link = 0;
    std::uint64_t how = 0;
  };
  std::vector<std::uint64_t> kinds;  ///< by load
  std::vector<std::size_t> ends;     ///< by load: end of its range in crossings
  std::vector<Crossing> crossings;
  std::vector<std::uint64_t> link_kinds;  ///< by link
};

/// Equivalence classes of ranks, transports and links. Members of a class do the same at the same
/// times. Ranks of a class run the same program, with transports of the same classes. Transports of
/// a class take the same time alone, connect ranks of the same classes and use links of the same
/// classes. Links of a class carry equally many transports of each class. This is the coarsest such
/// partition, found by colour refinement with 64-bit colours. Max-min fair rates are unique and
/// therefore equal within a class.
struct RankClasses {
  std::vector<std::uint32_t> of_rank, of_transport, of_link;
  std::vector<std::vector<std::uint32_t>> ranks;       ///< by class, in rising order
  std::vector<std::vector<std::uint32_t>> transports;  ///< by class, in rising order
  std::vector<std::vector<std::uint32_t>> links;       ///< by class, in rising order
};

/// Computes the classes. `expand`: each rank, transport and link is a class of its own. `physical`
/// nullptr: classes by structure only, without times and links.
[[nodiscard]] RankClasses rank_classes(const Communications& communications,
                                       const PhysicalLoads* physical, bool expand);

}  // namespace railyard::collectives
