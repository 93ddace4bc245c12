#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "collectives/schedule/executor.hpp"
#include "collectives/schedule/schedule.hpp"
#include "sim/flow/replay.hpp"
#include "sim/latency.hpp"
#include "sim/packet/engine/engine.hpp"
#include "sim/packet/packet_options.hpp"
#include "sim/packet/run/connections.hpp"

namespace railyard::sim::packet {

/// Runs schedules packet by packet: turns their transfers into messages, and messages that arrive
/// into transfers that are ready. A run may start while others move bytes.
class ScheduleRuns final : Deliveries {
 public:
  /// A channel of a run.
  struct Channel {
    const collectives::Schedule* schedule;
    std::size_t index;  ///< in the schedule
    std::uint32_t run;
    std::uint32_t traffic_class;
    std::uint32_t first;  ///< number of its first transfer among those of all channels
    double wire;          ///< bytes on links per byte of payload, without headers of packets
    AlphaModel alpha;
    bool has_overheads;  ///< false: a message, which no kernel sends
    std::unique_ptr<Replay> replay;
    std::vector<std::uint32_t> sets = {};        ///< by transfer: its queue pairs
    std::vector<std::uint16_t> open_parts = {};  ///< by transfer: messages on its way
    std::vector<std::int64_t> posted = {};       ///< ps, by transfer
  };

  /// Told what ends.
  class Listener {
   public:
    virtual ~Listener() = default;
    /// A transfer that put bytes on links has arrived.
    virtual void arrived(const Channel& channel, std::uint32_t transfer, Time at) = 0;
    /// A transfer has ended, with bytes or without; more of its run follow where `open`.
    virtual void ended(const Channel& channel, std::uint32_t transfer, Time at, bool open) = 0;
  };

  /// All must outlive it.
  ScheduleRuns(const topology::Cluster& cluster, const PacketOptions& options, Listener& listener);

  /// Makes the queue pairs of a schedule in a traffic class. Connections of equal labels and
  /// classes share theirs.
  void connect(const collectives::Schedule& schedule, std::size_t label,
               std::uint32_t traffic_class, bool is_read = false);
  /// `is_read`: destinations read from sources, which write otherwise.
  /// Adds a run of a schedule, which must outlive it, and returns its number: they count from 0.
  /// Once the engine runs, only of schedules that are connected.
  std::uint32_t add(const collectives::Schedule& schedule, std::size_t label,
                    std::uint32_t traffic_class, bool is_read = false);
  /// Begins a run: its launch at `at`, its first messages not before `not_before`.
  void start(std::uint32_t run, Time at, Time not_before = {});
  /// Forgets the transfers of a run that has ended.
  void drop(std::uint32_t run);

  [[nodiscard]] Engine& engine() { return engine_; }
  [[nodiscard]] const Engine& engine() const { return engine_; }
  /// Runs the engine until all is delivered, or its watch stops it.
  void run();
  /// As Engine::prepare; runs that start from now on begin while others move bytes.
  void prepare(Time longest);

  [[nodiscard]] const Connections& connections() const { return connections_; }
  [[nodiscard]] const std::deque<Channel>& channels() const { return channels_; }
  /// ps that a transfer takes on an empty network, and the part of it that its bytes do not count
  /// for.
  [[nodiscard]] double alone(const Channel& channel, std::uint32_t transfer) const;
  [[nodiscard]] double fixed(const Channel& channel, std::uint32_t transfer) const {
    return connections_[channel.sets[transfer]].fixed;
  }
  /// Bytes of all transfers that were added, without headers of packets.
  [[nodiscard]] double planned_bytes() const { return planned_bytes_; }
  /// Transfers of a run that have not ended.
  [[nodiscard]] std::uint64_t open_transfers(std::uint32_t run) const { return runs_[run].open; }
  /// What links have carried. `stands`: by link the one whose bytes it has, none: without traffic;
  /// empty: each has its own.
  [[nodiscard]] std::vector<collectives::LinkLoad> link_loads(
      double scale = 1, std::span<const LinkId> stands = {}) const;

 private:
  struct Run {
    std::size_t first = 0, count = 0;  ///< of its channels
    std::uint64_t open = 0;
  };

  void begin(Channel& channel, std::uint32_t transfer, Time ready);
  void finish(Channel& channel, std::uint32_t transfer, Time at);
  void finish_empty();
  [[nodiscard]] int threads();
  void delivered(std::uint32_t tag, Time at) override;
  [[nodiscard]] Channel& channel_of(std::uint32_t number);
  /// A transfer for errors.
  [[nodiscard]] std::string name_of(std::uint32_t number);

  const topology::Cluster& cluster_;
  Listener& listener_;
  Engine engine_;
  Connections connections_;
  std::deque<Channel> channels_;
  std::vector<Run> runs_;
  std::uint64_t transfers_ = 0;  ///< of all channels
  double planned_bytes_ = 0;
  std::vector<bool> sends_;  ///< by rank
  int threads_;              ///< allowed
  Announce announce_;
  /// A transfer without bytes goes to another rank, where others may follow at the same time.
  bool has_empty_ = false;
  bool is_prepared_ = false;
  std::vector<Replay::Number> ready_;
  std::vector<std::pair<std::uint32_t, Time>> empty_;  ///< transfers without bytes that are to end
};

}  // namespace railyard::sim::packet
