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

/// How the iterations of a loop depend on each other, which determines what an engine may assume
/// about its steady state.
enum class Coupling : std::uint8_t {
  ring,         ///< one step; each iteration forwards what the previous one received
  pipeline,     ///< each iteration moves another piece of data through the same steps (trees)
  exchange,     ///< one iteration without pipelining; each step waits for the previous one
  independent,  ///< transfers do not wait for each other (all-to-all)
};

/// A set of transfers that may run concurrently. All transfers of a step read the data as it was
/// before the step.
struct Step {
  Pattern pattern;
  [[nodiscard]] std::uint64_t size() const { return collectives::size(pattern); }
  /// The i-th transfer in iteration `iteration` of the loop.
  [[nodiscard]] Transfer at(std::uint64_t i, std::uint64_t iteration) const {
    return collectives::at(pattern, i, iteration);
  }
};

/// A sequence of steps that is repeated. In iteration k the chunks of each step's pattern are
/// shifted k times.
struct Loop {
  std::uint64_t repeat = 1;
  Coupling coupling = Coupling::exchange;
  std::vector<Step> steps;
};

/// A channel: a part of the data with its own sequence of transfers, concurrent with the other
/// channels. Every block of the collective is divided evenly over the channels, and each channel's
/// part of a block is divided into `chunks_per_block` chunks. The id of a chunk is
/// block * chunks_per_block + piece.
struct Channel {
  std::uint64_t chunks_per_block = 1;
  std::vector<Loop> loops;
};

/// Who sends which chunk to whom, in what order, and on which channel. Immutable. Transfers are
/// generated on demand and never stored per pair.
///
/// Blocks: all_reduce, broadcast and reduce have one block of `bytes` on every rank. all_gather and
/// reduce_scatter have n blocks of bytes/n; block i belongs to position i. all_to_all has n*n
/// blocks of bytes/n; block s*n+d goes from s to d. send_recv has n blocks of `bytes`; block i goes
/// from i to i+1.
///
/// Order: the loops of a channel follow each other, then iterations, then steps.
///
/// Replay rule: a transfer may start when all earlier transfers of its channel whose destination is
/// its source, and which write any of its chunks, have arrived. Channels never wait for each other.
/// Data that arrives for the same chunk of a participant is applied in the order of the schedule.
///
/// Example: all_reduce as a ring of 2 ranks with one channel and one chunk per piece. Step 1
/// (reduce): rank 0 sends piece 0 to rank 1, and rank 1 sends piece 1 to rank 0. Step 2 (copy):
/// rank 1 sends the complete piece 0 to rank 0, once step 1 has delivered it, and rank 0 the
/// complete piece 1 to rank 1.
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
  /// Asserts that the participants and chunks of the first iteration are in range.
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
  /// The GPU or switch of a participant.
  [[nodiscard]] DeviceId device(const topology::Cluster& cluster, Participant participant) const;

  [[nodiscard]] std::uint64_t blocks() const;
  /// The location of a chunk in the buffer of its block: offset from its start, and length.
  struct Place {
    std::uint64_t block = 0;
    Bytes offset;
    Bytes length;
  };
  /// The place of a chunk of a channel. The places of all chunks of all channels cover every block
  /// exactly, in whole elements of the data type; sizes differ where the division has a remainder.
  [[nodiscard]] Place place(std::size_t channel, std::uint64_t chunk) const;
  /// The payload bytes of a transfer, without protocol overhead.
  [[nodiscard]] Bytes bytes(std::size_t channel, const Transfer& transfer) const;
  /// The bytes of one block.
  [[nodiscard]] Bytes block_bytes() const;
  /// The number of transfers of all channels.
  [[nodiscard]] std::uint64_t transfer_count() const;

 private:
  Parts parts_;
};

}  // namespace railyard::collectives
