#pragma once

#include <cstdint>

#include "collectives/workload/workload.hpp"

namespace railyard::sim {

/// Ranks in a grid, numbered row by row, as parts of a workload: family 0 holds a group for each
/// row, family 1 a group for each column.
inline collectives::Workload::Parts rank_grid(std::uint32_t columns, std::uint32_t rows) {
  collectives::Workload::Parts parts{.ranks = columns * rows};
  parts.families.resize(2);
  parts.families[0].groups.resize(rows);
  parts.families[1].groups.resize(columns);
  for (std::uint32_t rank = 0; rank < columns * rows; ++rank) {
    parts.families[0].groups[rank / columns].push_back(rank);
    parts.families[1].groups[rank % columns].push_back(rank);
  }
  return parts;
}

}  // namespace railyard::sim
