#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "collectives/algorithms/pattern.hpp"
#include "collectives/schedule/collective.hpp"
#include "collectives/schedule/group.hpp"
#include "collectives/schedule/transfer.hpp"

namespace railyard::collectives {

/// How the iterations of a loop hang together: what an engine may assume of its steady state.
enum class Coupling : std::uint8_t {
  ring,         ///< one step; each iteration passes on what the one before brought (ring)
  pipeline,     ///< each iteration is another piece of data through the same body (trees)
  exchange,     ///< one iteration; nothing is pipelined, a step waits for the one before
  independent,  ///< no transfer waits for another (all-to-all)
};

/// A set of transfers that may happen at the same time. Within a step every source is read as it
/// was before the step.
struct Step {
  Pattern pattern;
  [[nodiscard]] std::uint64_t size() const { return collectives::size(pattern); }
  /// The i-th transfer in the given iteration of its loop.
  [[nodiscard]] Transfer at(std::uint64_t i, std::uint64_t iteration) const {
    return collectives::at(pattern, i, iteration);
  }
};

/// Steps that are repeated: in iteration k the chunks of each step's pattern are shifted k times.
struct Loop {
  std::uint64_t repeat = 1;
  Coupling coupling = Coupling::exchange;
  std::vector<Step> steps;
};

/// A part of the data that goes its own way, at the same time as the other channels.
/// The bytes of every block of the collective are cut evenly over the channels, and a channel's
/// part of a block into `chunks_per_block` chunks; chunk id = block * chunks_per_block + piece.
struct Channel {
  std::uint64_t chunks_per_block = 1;
  std::vector<Loop> loops;
};

/// Who sends which chunk to whom, in what order, on which channel. Immutable and lazy: transfers
/// are enumerated, never stored per pair.
///
/// Blocks: all_reduce, broadcast, reduce have one block of `bytes` on every rank. all_gather and
/// reduce_scatter have n blocks of bytes/n, block i belonging to position i. all_to_all has n*n of
/// bytes/n, block s*n+d going from s to d. send_recv has n of `bytes`, block i going from i to i+1.
///
/// Order: loops of a channel one after the other, iterations in order, steps in order. Replay rule:
/// a transfer may start once every earlier transfer of its channel into (source, its chunks) has
/// arrived; channels never wait for each other. What arrives for one chunk of a participant lands
/// in the order of the schedule.
class Schedule {
 public:
  struct Parts {
    std::string algorithm;
    Protocol protocol = Protocol::simple;
    Collective collective;
    std::shared_ptr<const Group> group;
    std::vector<DeviceId> reducers;  ///< switches that reduce: participants n, n+1, ...
    std::vector<Channel> channels;
  };
  /// Asserts that participants and chunks of the first iteration are in range.
  explicit Schedule(Parts parts);

  [[nodiscard]] const std::string& algorithm() const { return parts_.algorithm; }
  [[nodiscard]] Protocol protocol() const { return parts_.protocol; }
  [[nodiscard]] const Collective& collective() const { return parts_.collective; }
  [[nodiscard]] const Group& group() const { return *parts_.group; }
  [[nodiscard]] std::span<const DeviceId> reducers() const { return parts_.reducers; }
  [[nodiscard]] std::span<const Channel> channels() const { return parts_.channels; }
  [[nodiscard]] Participant participants() const {
    return parts_.group->size() + static_cast<Participant>(parts_.reducers.size());
  }
  [[nodiscard]] bool is_reducer(Participant participant) const {
    return participant >= parts_.group->size();
  }
  /// The GPU or switch where a participant sits.
  [[nodiscard]] DeviceId device(const topology::Cluster& cluster, Participant participant) const;

  [[nodiscard]] std::uint64_t blocks() const;
  /// Where chunks of a channel lie in the buffer of their block: offset from its start, and length.
  struct Place {
    std::uint64_t block = 0;
    Bytes offset;
    Bytes length;
  };
  /// Cuts are exact: the places of all chunks of all channels tile every block, in elements of the
  /// collective's data type (the last piece takes what is left over).
  [[nodiscard]] Place place(std::size_t channel, std::uint64_t chunk) const;
  /// The bytes of a transfer (payload, without protocol overhead).
  [[nodiscard]] Bytes bytes(std::size_t channel, const Transfer& transfer) const;
  /// bytes of a block.
  [[nodiscard]] Bytes block_bytes() const;
  /// Number of transfers over all channels.
  [[nodiscard]] std::uint64_t transfer_count() const;

 private:
  Parts parts_;
};

}  // namespace railyard::collectives
