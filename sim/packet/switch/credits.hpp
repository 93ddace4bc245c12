#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "sim/packet/links/links.hpp"
#include "sim/packet/links/ring.hpp"

namespace railyard::sim::packet {

/// InfiniBand's flow control per link and lane. The sender tracks the number of free blocks (64
/// bytes) of the buffer at the other end, and starts a packet only if all of it fits. Blocks are
/// returned when the packet has left the buffer and the update has crossed the link back.
///
/// Example: a buffer of 128 blocks and packets of 65 blocks: the second packet waits until the
/// first has left.
class Credits {
 public:
  static constexpr std::uint32_t kBlock = 64;
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  /// Gives the links of the fabric `buffer` bytes each; without a value no link is limited. Throws
  /// InputError if a packet of `largest` wire bytes would never fit.
  Credits(const Links& links, std::optional<Bytes> buffer, Bytes largest);

  [[nodiscard]] bool are_used() const { return !states_.empty(); }
  /// The time (ps) at which a packet may start that could otherwise start at `wanted`; kNever if
  /// too few blocks are free or on their way back.
  [[nodiscard]] std::int64_t start(std::uint32_t link, std::uint32_t bytes,
                                   std::int64_t wanted) const {
    const State& state = states_[link];
    std::int64_t free = state.free, start = wanted;
    for (std::size_t i = 0; free < blocks(bytes); ++i) {
      if (i == state.returning.size()) return kNever;
      free += state.returning[i].blocks;
      start = std::max(wanted, state.returning[i].time);
    }
    return start;
  }
  [[nodiscard]] bool limits(std::uint32_t link) const { return states_[link].free < kNever / 4; }
  /// Takes the blocks of a packet that starts at a time allowed by start().
  void spend(std::uint32_t link, std::uint32_t bytes, std::int64_t start) {
    State& state = states_[link];
    for (; !state.returning.empty() && state.returning.front().time <= start; state.returning.pop())
      state.free += state.returning.front().blocks;
    state.free -= blocks(bytes);
  }
  /// Returns the blocks of a packet. `time`: when the sender learns of it (ps). The order of calls
  /// does not matter.
  void give_back(std::uint32_t link, std::uint32_t bytes, std::int64_t time) {
    Ring<Return>& returning = states_[link].returning;
    returning.push({time, blocks(bytes)});
    for (std::size_t i = returning.size() - 1; i > 0 && returning[i - 1].time > time; --i)
      std::swap(returning[i - 1], returning[i]);
  }
  /// Whether a packet would wait for blocks of which none are on their way back.
  [[nodiscard]] bool is_stalled(std::uint32_t link, std::uint32_t bytes) const {
    return states_[link].free < blocks(bytes) && states_[link].returning.empty();
  }

  /// Copies the state of a link from another thread's engine.
  void copy(std::uint32_t link, const Credits& other) { states_[link] = other.states_[link]; }

 private:
  struct Return {
    std::int64_t time;
    std::int64_t blocks;
  };
  struct State {
    std::int64_t free = 0;     ///< blocks
    Ring<Return> returning{};  ///< sorted by time
  };
  [[nodiscard]] static std::int64_t blocks(std::uint32_t bytes) {
    return (bytes + kBlock - 1) / kBlock;
  }

  std::vector<State> states_;  ///< by link
};

}  // namespace railyard::sim::packet
