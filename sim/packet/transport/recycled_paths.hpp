#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace railyard::sim::packet {

/// Reuses paths without congestion (REPS: Bonato et al., "REPS: Recycled entropy packet spraying
/// for adaptive load balancing and failure mitigation", 2024, algorithm 1; with a buffer of 8
/// paths). An acknowledgement without a mark puts its path into the buffer. A packet takes the
/// oldest unused path from the buffer, or a random path if there is none.
class RecycledPaths {
 public:
  static constexpr std::uint32_t kSlots = 8;
  static constexpr std::uint32_t kNoPath = ~std::uint32_t{0};

  void add_pair() { pairs_.emplace_back(); }
  void good(std::uint32_t pair, std::uint32_t path) {
    State& state = pairs_[pair];
    state.paths[state.end % kSlots] = static_cast<std::uint16_t>(path);
    ++state.end;
    if (state.end - state.begin > kSlots) state.begin = state.end - kSlots;
  }
  /// The next path from the buffer; kNoPath if it is empty.
  [[nodiscard]] std::uint32_t take(std::uint32_t pair) {
    State& state = pairs_[pair];
    return state.begin == state.end ? kNoPath : state.paths[state.begin++ % kSlots];
  }

 private:
  struct State {
    std::array<std::uint16_t, kSlots> paths{};
    std::uint32_t begin = 0, end = 0;
  };
  std::vector<State> pairs_;
};

}  // namespace railyard::sim::packet
