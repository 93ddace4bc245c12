#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "core/id.hpp"
#include "topology/routing/hop.hpp"

namespace railyard::sim {

using StreamId = Id<struct StreamTag>;

/// A fluid stream of `bytes` with one rate r on all hops. A hop with share w uses w·r of its link
/// (w may exceed 1, for a ring that crosses a link twice). A link appears at most once.
struct Stream {
  std::span<const topology::Hop> hops;
  double bytes = 0;
  double rate_cap = std::numeric_limits<double>::infinity();  ///< B/s, e.g. a slow GPU
};

/// The number of streams of a set that cross a link, and the share of each.
struct Crossing {
  LinkId link;
  std::uint32_t streams = 0;
  double share = 1;
};

/// A set of streams of `bytes` each that differ only in which of several equivalent links they
/// cross. The path of each has the same number of legs; on each leg a stream crosses exactly one of
/// the leg's links, and `crossings` counts the streams per link. (The uplinks of a leaf are a leg,
/// for example.) Which links a single stream combines is not recorded.
struct SymmetricStreams {
  std::uint64_t streams = 0;
  double bytes = 0;
  std::span<const Crossing> crossings;      ///< leg by leg
  std::span<const std::uint32_t> leg_ends;  ///< by leg: end of its range in crossings
};

/// Use of a shortcut of the solver: if it saves time, whenever it is valid, or never. Rates do not
/// depend on it.
enum class Shortcut : std::uint8_t { automatic, always, never };

struct FluidOptions {
  /// After every solve, check that each stream has a saturated link on which its rate is maximal
  /// (or runs at its cap). Throws std::logic_error with the first stream that does not.
  bool certify = false;
  /// Completions within this many seconds after the first of a batch are merged with it; 0 is
  /// exact.
  double coalesce = 0;
  Shortcut folding = Shortcut::automatic;  ///< folding of equal streams into classes; not "always"
  Shortcut levels = Shortcut::automatic;   ///< rates kept by link (maxmin/coupled_phase.hpp)
  Shortcut pruning =
      Shortcut::automatic;  ///< removal of links that cannot saturate (maxmin/redundant_links.hpp)
};

}  // namespace railyard::sim
