#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace railyard::topology {

/// A directed edge of a flow problem.
struct FlowArc {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::int64_t capacity = 0;
};

/// The value of a maximum flow, and by vertex whether it is on the source side of a minimum cut.
struct MinCut {
  std::int64_t flow = 0;
  std::vector<bool> source_side;
};

/// Push-relabel on vertices 0 .. vertices - 1. Several arcs between the same vertices add their
/// capacities.
[[nodiscard]] MinCut min_cut(std::uint32_t vertices, std::span<const FlowArc> arcs,
                             std::uint32_t source, std::uint32_t sink);

}  // namespace railyard::topology
