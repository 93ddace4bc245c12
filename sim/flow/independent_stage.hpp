#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/flow/flow_state.hpp"
#include "sim/flow/stage.hpp"
#include "sim/flow/symmetric_transfers.hpp"
#include "sim/flow/transfer_sequence.hpp"

namespace railyard::sim {

/// A stage of transfers without dependencies (all-to-all); each is a stream. All start together,
/// and the last byte of each arrives its alpha after the stream ends: the latency of a transfer
/// overlaps with its bytes. Equal transfers are therefore equal streams with a common start, which
/// the fluid engine solves once. About 30 bytes per transfer, in addition to those of the engine.
///
/// If many transfers run alone over evenly spread paths, they are first offered to the engine as
/// symmetric sets (SymmetricTransfers). If the engine proves that the streams of each set have
/// equal rates, nothing is stored per transfer.
class IndependentStage {
 public:
  IndependentStage(const ChannelContext& context, const Stage& stage)
      : context_(context), sequence_(stage.loops) {}

  /// Throws InputError for more than 2^32 - 1 transfers.
  void begin(FlowState& state);
  void stream_ends(FlowState& state, std::uint32_t number);
  /// The last byte has arrived.
  void arrive() { arrived_ = true; }
  void reroute(FlowState& state, std::span<const LinkId> failed);
  [[nodiscard]] bool is_done() const { return arrived_; }
  [[nodiscard]] std::string describe(std::uint32_t number) const;

 private:
  [[nodiscard]] bool may_use_sets(const FlowState& state) const;
  void collect(FlowState& state, SymmetricTransfers& sets);
  [[nodiscard]] bool start_as_sets(FlowState& state, SymmetricTransfers& sets);
  void start(FlowState& state, std::uint32_t number);
  double route(FlowState& state, std::uint32_t number, const collectives::Transfer& transfer);
  void launch(FlowState& state, std::uint32_t number, std::span<const topology::Hop> hops,
              double bytes);
  void await_last(FlowState& state);
  [[nodiscard]] std::uint16_t number_of(Time alpha);

  const ChannelContext& context_;
  TransferSequence sequence_;
  std::vector<Time> alphas_;             ///< distinct values
  std::vector<std::uint16_t> alpha_of_;  ///< by transfer, into alphas_
  std::uint64_t open_ = 0;
  double begun_ = 0;
  double last_arrival_ = 0;
  bool arrived_ = false;
  std::vector<topology::Hop> scratch_;
  /// If transfers run as sets: by set, the longest alpha and the number of the first transfer.
  struct Set {
    Time alpha;
    std::uint32_t first = 0;
  };
  std::vector<Set> sets_;
  /// Only if paths may change: the active streams and their hops, by transfer.
  struct ActivePath {
    StreamId stream;
    std::vector<topology::Hop> hops;
  };
  std::vector<ActivePath> active_paths_;
};

}  // namespace railyard::sim
