#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <queue>
#include <span>
#include <string>
#include <vector>

#include "collectives/schedule/executor.hpp"
#include "sim/flow/replay.hpp"
#include "sim/latency.hpp"
#include "sim/packet/engine/engine.hpp"
#include "sim/packet/packet_options.hpp"
#include "sim/packet/run/connections.hpp"
#include "sim/packet/run/fast_forward.hpp"

namespace railyard::sim::packet {

/// One packet simulation of tasks: turns transfers into messages, and the messages that arrive into
/// transfers that are ready.
class PacketRun final : Deliveries {
 public:
  PacketRun(const topology::Cluster& cluster, const PacketOptions& options,
            std::span<const collectives::Task> tasks);
  /// The only task is a shortened schedule; the result is to be that of the whole one.
  void stand_for(const FastForward& fast) { fast_ = &fast; }
  [[nodiscard]] collectives::Run run();
  /// After a run that stands for another one: what its time is uncertain by; nothing where it was
  /// stopped early.
  [[nodiscard]] std::optional<Time> uncertainty() const { return uncertainty_; }

 private:
  struct Channel {
    const collectives::Schedule* schedule;
    std::size_t index;  ///< in the schedule
    std::uint32_t task;
    std::uint32_t traffic_class;
    std::uint32_t first;  ///< number of its first transfer among those of all channels
    double wire;          ///< bytes on links per byte of payload, without headers of packets
    AlphaModel alpha;
    bool has_overheads;  ///< false: a message, which no kernel sends
    Replay replay;
    std::vector<Time> ends = {};  ///< of its transfers, where the run stands for another one
  };

  void plan(std::uint32_t task, std::uint32_t traffic_class);
  void begin(Channel& channel, std::uint32_t local, Time ready);
  void finish(std::uint32_t transfer, Time at);
  void extrapolate();
  [[nodiscard]] double alone(const Channel& channel, std::uint32_t transfer) const;
  void record(const Channel& channel, std::uint32_t number, Time at);
  void note_transfer(const Channel& channel, std::uint32_t number, Time at);
  void note_ports();
  void find_victims();
  void delivered(std::uint32_t tag, Time at) override;
  [[nodiscard]] Channel& channel_of(std::uint32_t transfer);
  [[nodiscard]] collectives::PacketStatistics statistics();
  void fill_records();
  void stop_early();
  [[nodiscard]] collectives::Binding binding(std::span<const collectives::LinkLoad> loads,
                                             Time span) const;

  const topology::Cluster& cluster_;
  const PacketOptions& options_;
  std::span<const collectives::Task> asked_;
  Engine engine_;
  Connections connections_;
  std::deque<Channel> channels_;
  std::vector<std::uint32_t> sets_;            ///< by transfer
  std::vector<std::uint16_t> open_parts_;      ///< by transfer: messages on its way
  std::vector<std::int64_t> posted_;           ///< ps, by transfer
  std::vector<std::int64_t> completion_;       ///< ps, of those done
  std::vector<float> slowdown_;                ///< of those done
  std::vector<std::uint64_t> open_transfers_;  ///< by task
  /// The transfers that lost most time against an empty network.
  struct Late {
    Time lost;
    std::uint32_t number = 0;  ///< of the transfer
    TransferRecord transfer;
    friend bool operator>(const Late& a, const Late& b) {
      return a.lost != b.lost ? a.lost > b.lost : a.number < b.number;
    }
  };
  std::priority_queue<Late, std::vector<Late>, std::greater<>> late_;
  double planned_bytes_ = 0;  ///< payload of all transfers
  std::vector<Replay::Number> ready_;
  std::vector<std::pair<std::uint32_t, Time>> empty_;  ///< transfers without bytes that are to end
  const FastForward* fast_ = nullptr;
  std::optional<Time> uncertainty_;
  double scale_ = 1;  ///< transfers of the whole schedule over those simulated
  collectives::Run result_;
};

}  // namespace railyard::sim::packet
