#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "collectives/schedule/executor.hpp"
#include "sim/flow/event_queue.hpp"
#include "sim/flow/flow_options.hpp"
#include "sim/flow/flow_workspace.hpp"
#include "sim/flow/link_numbers.hpp"
#include "sim/flow/stage_pace.hpp"
#include "sim/flow/streams.hpp"
#include "sim/flow/transfer_routes.hpp"
#include "sim/latency.hpp"
#include "sim/maxmin/fluid.hpp"
#include "sim/node_link_demand.hpp"

namespace railyard::sim {

struct ChannelContext;
struct TransferLoads;

/// The running streams of a task.
struct TaskStreams {
  std::vector<StreamId> active;
  NodeLinkDemand demand;  ///< for tasks with a pace
};

/// State that all stages of a flow simulation share.
class FlowState {
 public:
  FlowState(FlowWorkspace& workspace, LinkNumbers links, const FlowOptions& options,
            std::size_t task_count);

  const topology::Cluster& cluster;
  TransferRoutes& routes;
  std::vector<double>& capacities;  ///< present capacity in B/s, by link
  const double network_share;       ///< share of ports and fabric links that software uses
  const RunWatch watch;
  LinkSums& sums;
  LinkNumbers numbers;  ///< of the links in `fluid`
  Fluid fluid;
  EventQueue events;
  bool paths_may_change = false;  ///< links fail later, so stages store the paths that they use
  bool record_timeline = false;
  bool is_alone = false;  ///< only one channel of one task runs, without faults
  std::vector<collectives::TimelineEvent> timeline;

  /// Reports progress to the watch, if there is one. Returns whether to continue.
  [[nodiscard]] bool goes_on(RunProgress::Phase phase, double share) const {
    return !watch || watch({phase, share, Time::from_seconds(fluid.now())});
  }
  /// The owner of a stream.
  struct Owner {
    std::uint32_t channel = 0;  ///< number of the channel run
    std::uint32_t item = 0;
    std::uint32_t task = 0;
    std::uint32_t place = 0;  ///< index in the active streams of its task
  };
  std::vector<Owner> owners;  ///< by stream
  std::vector<TaskStreams> tasks;
  /// Starts a stream for an owner (`place` is filled in) with a rate of at most `most` B/s.
  StreamId start(std::span<const topology::Hop> hops, double bytes, Owner owner,
                 double most = std::numeric_limits<double>::infinity());
  /// Records the owner of a stream that was started in another way.
  void own(StreamId stream, Owner owner);
  /// Adds the rate (B/s of payload) that a transfer of a paced channel needs on its path.
  void note_demand(const ChannelContext& context, const collectives::Transfer& transfer,
                   std::span<const topology::Hop> hops, double rate);
  /// Raises the capacities of links inside nodes to the sum of those rates, at most to their line
  /// rates; for a degraded link to its share of these.
  void raise_capacities(std::uint32_t task);
  /// Whether a link's capacity was raised.
  [[nodiscard]] bool is_raised(LinkId link) const { return raised_.contains(link); }
  /// Capacity of a link without faults in B/s, including a raise.
  [[nodiscard]] double sound_capacity(LinkId link) const;
  /// Sets the capacity of a link from now on.
  void set_capacity(LinkId link, double bytes_per_second);
  /// Restores all capacities that set_capacity() changed.
  void restore_capacities();
  /// Replaces the hops of an active stream.
  void reroute(StreamId stream, std::span<const topology::Hop> hops);
  /// Removes a completed stream from its task's list.
  Owner retire(StreamId stream);

 private:
  [[nodiscard]] std::span<const topology::Hop> numbered(std::span<const topology::Hop> hops);

  std::vector<topology::Hop> scratch_;
  std::map<LinkId, double> raised_;                           ///< B/s without faults
  std::vector<std::pair<LinkId, double>> capacities_before_;  ///< of links that were changed
};

/// Identity of a channel of a task, and the costs of its paths.
struct ChannelContext {
  const collectives::Schedule& schedule;
  std::size_t channel = 0;   ///< in the schedule
  std::uint32_t number = 0;  ///< of the channel run
  std::uint32_t task = 0;
  std::uint32_t label = 0;  ///< of its connections
  WireFactors wire;
  AlphaModel alpha;
  std::optional<StagePace> pace;               ///< of each of its stages
  std::shared_ptr<const TransferLoads> loads;  ///< of its stage `together`
  std::string track;                           ///< for the timeline
};

}  // namespace railyard::sim
