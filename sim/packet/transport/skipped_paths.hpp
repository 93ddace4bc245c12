#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace railyard::sim::packet {

/// Uses paths in turn and skips those with recent congestion (the "bitmap" of uet-htsim,
/// htsim/sim/uec_mp.cpp). Each mark, trimmed packet or loss adds a penalty to its path, up to
/// kMost. A path with a penalty is skipped; the path at which the search begins loses 1 of its
/// penalty.
///
/// Example: of the paths 0, 1, 2 path 1 has a penalty of 2. The next paths are 0, 2, 0, 2, 0, 1.
class SkippedPaths {
 public:
  static constexpr std::uint8_t kMark = 1, kTrimmed = 4, kMost = 15;

  void add_pair(std::uint32_t paths) { pairs_.emplace_back().penalties.resize(paths, 0); }
  void bad(std::uint32_t pair, std::uint32_t path, std::uint8_t penalty) {
    std::uint8_t& sum = pairs_[pair].penalties[path];
    sum = static_cast<std::uint8_t>(std::min<std::uint32_t>(sum + penalty, kMost));
  }
  [[nodiscard]] std::uint32_t take(std::uint32_t pair) {
    State& state = pairs_[pair];
    const std::size_t count = state.penalties.size();
    if (state.penalties[state.next] > 0) --state.penalties[state.next], step(state);
    for (std::size_t i = 1; i < count && state.penalties[state.next] > 0; ++i) step(state);
    const std::uint32_t path = state.next;
    step(state);
    return path;
  }

 private:
  struct State {
    std::vector<std::uint8_t> penalties;
    std::uint32_t next = 0;
  };
  static void step(State& state) {
    if (++state.next == state.penalties.size()) state.next = 0;
  }
  std::vector<State> pairs_;
};

}  // namespace railyard::sim::packet
