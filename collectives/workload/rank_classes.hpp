#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collectives/workload/communications.hpp"

namespace railyard::collectives {

/// What a simulation engine tells rank_classes() about loads and links. `kinds` has a number for
/// each load: equal numbers mean equal times without other traffic. `crossings` lists the links
/// that a load uses and that can saturate, each with a number for how it uses the link. Equal
/// numbers always mean equal properties.
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

/// Equivalence classes of ranks, transports and links; members of a class behave identically, so
/// that an engine simulates one of them. Ranks of a class run the same program, with transports of
/// the same classes. Transports of a class take the same time alone, connect ranks of the same
/// classes and use links of the same classes. Links of a class carry equally many transports of
/// each class. This is the coarsest such partition, found by colour refinement with 64-bit colours.
/// Max-min fair rates are unique and therefore equal within a class.
struct RankClasses {
  std::vector<std::uint32_t> of_rank, of_transport, of_link;
  std::vector<std::vector<std::uint32_t>> ranks;       ///< by class, in rising order
  std::vector<std::vector<std::uint32_t>> transports;  ///< by class, in rising order
  std::vector<std::vector<std::uint32_t>> links;       ///< by class, in rising order
};

/// Computes the classes. With `expand` each rank, transport and link is its own class. Without
/// `physical` (nullptr) only the structure counts, not times and links.
[[nodiscard]] RankClasses rank_classes(const Communications& communications,
                                       const PhysicalLoads* physical, bool expand);

}  // namespace railyard::collectives
