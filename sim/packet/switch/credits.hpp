#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "sim/packet/links/links.hpp"
#include "sim/packet/links/ring.hpp"

namespace railyard::sim::packet {

/// InfiniBand's flow control by link and lane: the sender knows the free blocks of 64 bytes of the
/// buffer at the other end, and starts a packet only where all of it fits. Blocks return when the
/// packet has left the buffer and the news has crossed the link back.
///
/// Example: a buffer of 128 blocks and packets of 65 blocks: the second packet waits until the
/// first has left.
class Credits {
 public:
  static constexpr std::uint32_t kBlock = 64;
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  /// Links of the fabric with `buffer` each; without it nothing is limited. Throws InputError where
  /// a packet of `largest` wire bytes would never fit.
  Credits(const Links& links, std::optional<Bytes> buffer, Bytes largest);

  [[nodiscard]] bool are_used() const { return !states_.empty(); }
  /// When a packet may start that could start at `wanted` otherwise; kNever: no blocks are on their
  /// way back. Takes the blocks that have returned by then.
  [[nodiscard]] std::int64_t start(std::uint32_t link, std::uint32_t bytes, std::int64_t wanted) {
    State& state = states_[link];
    while (state.free < blocks(bytes)) {
      if (state.returning.empty()) return kNever;
      state.free += state.returning.front().blocks;
      state.ready_at = state.returning.front().time;
      state.returning.pop();
    }
    return std::max(wanted, state.ready_at);
  }
  [[nodiscard]] bool limits(std::uint32_t link) const { return states_[link].free < kNever / 4; }
  void spend(std::uint32_t link, std::uint32_t bytes) { states_[link].free -= blocks(bytes); }
  /// `time`: when the sender knows. Blocks return in the order of the calls.
  void give_back(std::uint32_t link, std::uint32_t bytes, std::int64_t time) {
    State& state = states_[link];
    if (!state.returning.empty()) time = std::max(time, state.returning.back().time);
    state.returning.push({std::max(time, state.ready_at), blocks(bytes)});
  }
  /// Whether a packet would have to wait for blocks that nobody returns.
  [[nodiscard]] bool is_stalled(std::uint32_t link, std::uint32_t bytes) const {
    return states_[link].free < blocks(bytes) && states_[link].returning.empty();
  }

 private:
  struct Return {
    std::int64_t time;
    std::int64_t blocks;
  };
  struct State {
    std::int64_t free = 0;      ///< blocks
    std::int64_t ready_at = 0;  ///< ps; when the last blocks returned
    Ring<Return> returning{};
  };
  [[nodiscard]] static std::int64_t blocks(std::uint32_t bytes) {
    return (bytes + kBlock - 1) / kBlock;
  }

  std::vector<State> states_;  ///< by link
};

}  // namespace railyard::sim::packet
