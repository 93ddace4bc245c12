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

/// Runs schedules packet by packet: posts transfers that are ready as messages, and marks transfers
/// as complete when their messages arrive. A run may start while others are in progress.
class ScheduleRuns final : Deliveries {
 public:
  /// A channel of a run.
  struct Channel {
    const collectives::Schedule* schedule;
    std::size_t index;  ///< in the schedule
    std::uint32_t run;
    std::uint32_t traffic_class;
    std::uint32_t first;  ///< number of its first transfer, counted over all channels
    double wire;          ///< bytes on links per byte of payload, without packet headers
    AlphaModel alpha;
    bool has_overheads;  ///< false for messages (collectives::kMessage), which no kernel sends
    std::unique_ptr<Replay> replay;
    std::vector<std::uint32_t> sets = {};        ///< by transfer: index of its queue pairs
                                                 ///< (PairSet)
    std::vector<std::uint16_t> open_parts = {};  ///< by transfer: number of its messages that have
                                                 ///< not arrived
    std::vector<std::int64_t> posted = {};       ///< ps, by transfer
  };

  /// Is called when transfers end.
  class Listener {
   public:
    virtual ~Listener() = default;
    /// A transfer with bytes has arrived from another device.
    virtual void arrived(const Channel& channel, std::uint32_t transfer, Time at) = 0;
    /// A transfer has ended, with or without bytes. `open`: its run has other transfers that have
    /// not ended.
    virtual void ended(const Channel& channel, std::uint32_t transfer, Time at, bool open) = 0;
  };

  /// Cluster, options and listener must outlive it.
  ScheduleRuns(const topology::Cluster& cluster, const PacketOptions& options, Listener& listener);

  /// Creates the queue pairs of a schedule in a traffic class. Schedules with the same label and
  /// class share queue pairs. `is_read`: destinations read from sources instead of sources writing.
  void connect(const collectives::Schedule& schedule, std::size_t label,
               std::uint32_t traffic_class, bool is_read = false);
  /// Adds a run of a schedule, which must outlive it. Returns the number of the run; they count
  /// from 0. After the engine has started, only schedules may be added whose queue pairs exist
  /// (connect()). Throws InputError above 2^32 transfers.
  std::uint32_t add(const collectives::Schedule& schedule, std::size_t label,
                    std::uint32_t traffic_class, bool is_read = false);
  /// Starts a run at `at`; its first messages are not posted before `not_before`.
  void start(std::uint32_t run, Time at, Time not_before = {});
  /// Frees the memory of a run that has ended.
  void drop(std::uint32_t run);

  [[nodiscard]] Engine& engine() { return engine_; }
  [[nodiscard]] const Engine& engine() const { return engine_; }
  /// Runs the engine until all transfers have ended, or its watch stops it.
  void run();
  /// As Engine::prepare. After it runs may start while others are in progress.
  void prepare(Time longest);

  [[nodiscard]] const Connections& connections() const { return connections_; }
  [[nodiscard]] const std::deque<Channel>& channels() const { return channels_; }
  /// alone(): ps that a transfer takes on an empty network; fixed(): the part of it that does not
  /// depend on the bytes.
  [[nodiscard]] double alone(const Channel& channel, std::uint32_t transfer) const;
  [[nodiscard]] double fixed(const Channel& channel, std::uint32_t transfer) const {
    return connections_[channel.sets[transfer]].fixed;
  }
  /// Bytes of all added transfers, without packet headers.
  [[nodiscard]] double planned_bytes() const { return planned_bytes_; }
  /// The number of transfers of a run that have not ended.
  [[nodiscard]] std::uint64_t open_transfers(std::uint32_t run) const { return runs_[run].open; }
  /// The bytes that links have carried, times `scale`. `stands`: by link the link whose bytes it
  /// gets; a none id means no traffic. Empty: each link has its own bytes.
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
  /// Describes a transfer for errors.
  [[nodiscard]] std::string name_of(std::uint32_t number);

  const topology::Cluster& cluster_;
  Listener& listener_;
  Engine engine_;
  Connections connections_;
  std::deque<Channel> channels_;
  std::vector<Run> runs_;
  std::uint64_t transfers_ = 0;  ///< of all channels
  double planned_bytes_ = 0;
  std::vector<bool> sends_;  ///< by rank: whether it sends
  int threads_;              ///< largest number that the options allow
  Announce announce_;
  /// Some transfer without bytes ends at another rank, so that transfers of that rank may become
  /// ready at the same time.
  bool has_empty_ = false;
  bool is_prepared_ = false;
  std::vector<Replay::Number> ready_;
  std::vector<std::pair<std::uint32_t, Time>> empty_;  ///< transfers without bytes that end next
};

}  // namespace railyard::sim::packet
