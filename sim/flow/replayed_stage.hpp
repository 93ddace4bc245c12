#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "sim/flow/flow_state.hpp"
#include "sim/flow/replay.hpp"
#include "sim/flow/stage.hpp"

namespace railyard::sim {

/// A stage whose transfers are simulated one by one. Each becomes ready by the replay rule, waits
/// for its alpha, and is then a stream. Transfers of one connection (channel, source, destination)
/// are sent one at a time, in schedule order among those that are ready, like the messages of a
/// queue pair. Their alphas overlap with the bytes of earlier transfers.
class ReplayedStage {
 public:
  ReplayedStage(const ChannelContext& context, const Stage& stage);

  void begin(FlowState& state);
  /// The alpha of a transfer has passed.
  void stream_begins(FlowState& state, Replay::Number number);
  void stream_ends(FlowState& state, Replay::Number number);
  void reroute(FlowState& state, std::span<const LinkId> failed);
  [[nodiscard]] bool is_done() const { return replay_.remaining() == 0; }
  /// "transfer 3 -> 5".
  [[nodiscard]] std::string describe(Replay::Number number) const;

 private:
  struct Flowing {
    StreamId stream;
    Replay::Number number = 0;
    double since = 0;
    std::vector<topology::Hop> hops;  ///< only if paths may change
  };
  struct Connection {
    bool busy = false;
    Flowing flowing;
    std::vector<Replay::Number>
        waiting;  ///< min-heap: alpha has passed, but the connection is busy
  };

  void plan(FlowState& state);  ///< for every transfer in ready_
  void flow(FlowState& state, Connection& connection, Replay::Number number);
  [[nodiscard]] Connection& connection_of(const collectives::Transfer& transfer);

  const ChannelContext& context_;
  Replay replay_;
  double most_;                                                ///< B/s of a transfer
  std::unordered_map<std::uint64_t, Connection> connections_;  ///< by source and destination
  std::set<std::uint64_t> flowing_;  ///< busy connections, only if paths may change
  std::vector<Replay::Number> ready_;
  std::vector<topology::Hop> scratch_;
};

}  // namespace railyard::sim
