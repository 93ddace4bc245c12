#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collectives/schedule/schedule.hpp"
#include "sim/flow/arrival_table.hpp"
#include "sim/flow/transfer_sequence.hpp"

namespace railyard::sim {

/// The replay rule of collectives::Schedule as reference counts, for any engine: a transfer is
/// ready when every transfer of an earlier step of its channel into (its source, its chunks) has
/// arrived. Transfers are numbered in schedule order. About 40 bytes per transfer.
class Replay {
 public:
  using Number = std::uint32_t;

  /// For consecutive loops of a channel (which must outlive it), without any transfers before them.
  /// Throws InputError for more than 2^31 transfers.
  Replay(std::span<const collectives::Loop> loops, std::uint32_t participants);

  [[nodiscard]] Number size() const { return static_cast<Number>(sequence_.size()); }
  [[nodiscard]] collectives::Transfer transfer(Number number) const { return sequence_[number]; }

  /// Appends the transfers that are ready at the start, in schedule order. Call it once.
  void start(std::vector<Number>& ready) const;
  /// Records the arrival of a transfer, and appends the transfers that become ready by it, in
  /// order.
  void complete(Number number, std::vector<Number>& ready);
  /// Number of transfers that have not arrived.
  [[nodiscard]] Number remaining() const { return remaining_; }

 private:
  void read_step(const collectives::Step& step, std::uint64_t iteration, std::uint64_t first,
                 const ArrivalTable& arrivals);
  void write_step(const collectives::Step& step, std::uint64_t iteration, ArrivalTable& arrivals);
  void wait(Gate gate, std::uint32_t waiter);
  void open(Gate gate, std::vector<Number>& ready);

  struct Waiting {
    std::uint32_t waiter;  ///< a transfer, or a gate with kIsGate
    std::uint32_t next;
  };
  struct GateState {
    std::uint32_t first_waiting;
    std::uint32_t closed_by;  ///< number of outstanding conditions (arrival, previous gate)
  };

  TransferSequence sequence_;
  Number remaining_ = 0;
  bool free_ = false;                   ///< no transfer waits for another
  std::vector<std::uint32_t> pending_;  ///< gates that a transfer waits for
  std::vector<Gate> first_gate_;        ///< of the gates that a transfer's arrival opens
  std::vector<GateState> gates_;
  std::vector<Waiting> waiting_;
  std::vector<Gate> scratch_;
};

}  // namespace railyard::sim
