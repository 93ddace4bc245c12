#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collectives/workload/communications.hpp"

namespace railyard::collectives {

/// What an engine adds to the question which ranks are alike: what a load takes, and which of the
/// links that may fill it crosses, each with a number that says how.
struct PhysicalLoads {
  struct Crossing {
    std::uint32_t link = 0;
    std::uint64_t how = 0;
  };
  std::vector<std::uint64_t> kinds;       ///< by load
  std::vector<std::size_t> ends;          ///< by load, into crossings
  std::vector<Crossing> crossings;
  std::vector<std::uint64_t> link_kinds;  ///< by link
};

/// Ranks, transports and links cut into classes. Members of a class do the same at the same times:
/// they run the same program, their transports are of the same classes, those take the same time
/// alone, join ranks of the same classes and cross links of the same classes, and those are
/// crossed by equally many transports of each class. (The coarsest such partition, by refinement
/// of 64-bit colours; max-min fair rates are unique, so they are equal within a class.)
struct RankClasses {
  std::vector<std::uint32_t> of_rank, of_transport, of_link;
  std::vector<std::vector<std::uint32_t>> ranks;       ///< by class, in rising order
  std::vector<std::vector<std::uint32_t>> transports;  ///< by class, in rising order
  std::vector<std::vector<std::uint32_t>> links;       ///< by class, in rising order
};

/// The classes; with `expand` each rank, transport and link is one of its own. Without `physical`
/// of the structure alone: ranks that could only be told apart by times.
[[nodiscard]] RankClasses rank_classes(const Communications& communications,
                                       const PhysicalLoads* physical, bool expand);

}  // namespace railyard::collectives
