#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collectives/executor.hpp"
#include "sim/event_queue.hpp"
#include "sim/fluid.hpp"
#include "sim/latency.hpp"
#include "sim/streams.hpp"
#include "sim/transfer_routes.hpp"

namespace railyard::sim {

/// Where a task stands, as far as its streams are concerned.
struct TaskStreams {
  std::vector<StreamId> active;
};

/// What all stages of a flow simulation share.
struct FlowState {
  const topology::Cluster& cluster;
  TransferRoutes routes;
  std::vector<double> capacities;  ///< B/s by link, as they are now
  Fluid fluid;
  EventQueue events;
  LinkSums sums;
  bool ways_may_change = false;  ///< links fail later on: stages remember the ways they use
  bool record_timeline = false;
  std::vector<collectives::TimelineEvent> timeline;

  /// Whom a stream belongs to.
  struct Owner {
    std::uint32_t channel = 0;  ///< number of the channel run
    std::uint32_t item = 0;
    std::uint32_t task = 0;
    std::uint32_t place = 0;  ///< in its task's active streams
  };
  std::vector<Owner> owners;  ///< by stream
  std::vector<TaskStreams> tasks;

  /// Starts a stream now on behalf of an owner (`place` is filled in).
  StreamId start(std::span<const topology::Hop> hops, double bytes, Owner owner);
  /// Takes a completed stream off its task's list.
  Owner retire(StreamId stream);
};

/// Identity of a channel of a task, and what it costs to go its ways.
struct ChannelContext {
  const collectives::Schedule& schedule;
  std::size_t channel = 0;   ///< in the schedule
  std::uint32_t number = 0;  ///< of the channel run
  std::uint32_t task = 0;
  std::uint32_t label = 0;   ///< of its connections
  WireFactors wire;
  AlphaModel alpha;
  std::string track;         ///< for the timeline
};

}  // namespace railyard::sim
