#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <span>
#include <string>
#include <vector>

#include "collectives/schedule/executor.hpp"
#include "sim/packet/packet_options.hpp"
#include "sim/packet/run/fast_forward.hpp"
#include "sim/packet/run/schedule_runs.hpp"

namespace railyard::sim::packet {

/// One packet simulation of tasks: runs their schedules and collects results and records.
class PacketRun final : ScheduleRuns::Listener {
 public:
  PacketRun(const topology::Cluster& cluster, const PacketOptions& options,
            std::span<const collectives::Task> tasks);
  /// Says that the only task is a shortened schedule. The result is then extrapolated to that of
  /// the whole schedule.
  void stand_for(const FastForward& fast) { fast_ = &fast; }
  [[nodiscard]] collectives::Run run();
  /// After a run of a shortened schedule: the uncertainty of its time. Nothing if the run was
  /// stopped early.
  [[nodiscard]] std::optional<Time> uncertainty() const { return uncertainty_; }
  /// After a run of a sample of nodes: whether all nodes would have the same times. They differ if
  /// a switch pauses or loses packets because packets of other nodes fill its buffer, and if
  /// packets are marked at random, because marks differ by link.
  [[nodiscard]] bool is_representative() const;

 private:
  using Channel = ScheduleRuns::Channel;

  void sort_by_end();
  void extrapolate();
  void add_left_out(const Channel& channel);
  [[nodiscard]] Time difference_of_twins() const;
  void record(const Channel& channel, std::uint32_t transfer, Time at);
  void note_transfer(const Channel& channel, std::uint32_t transfer, Time at);
  void note_ports();
  /// The number of ports of the cluster. They have the lowest numbers of the engine's ports.
  [[nodiscard]] std::uint32_t cluster_ports() const {
    return static_cast<std::uint32_t>(cluster_.links().size());
  }
  void find_victims();
  void arrived(const Channel& channel, std::uint32_t transfer, Time at) override;
  void ended(const Channel& channel, std::uint32_t transfer, Time at, bool open) override;
  [[nodiscard]] collectives::PacketStatistics statistics();
  void fill_records();
  void stop_early();
  [[nodiscard]] collectives::Binding binding(std::span<const collectives::LinkLoad> loads,
                                             Time span) const;

  const topology::Cluster& cluster_;
  const PacketOptions& options_;
  std::span<const collectives::Task> asked_;
  ScheduleRuns runs_;                     ///< by task
  std::vector<std::int64_t> completion_;  ///< ps, of completed transfers
  std::vector<float> slowdown_;           ///< of the same transfers
  std::vector<Time> ends_;  ///< by number of a transfer; filled if the schedule is a shortened one
  /// One of the transfers that took longest compared with an empty network.
  struct SlowTransfer {
    Time lost;
    std::uint32_t number = 0;  ///< number of the transfer, counted over all channels
    std::uint32_t set = 0;     ///< its queue pairs (index of the PairSet)
    TransferRecord transfer;
    friend bool operator>(const SlowTransfer& a, const SlowTransfer& b) {
      return a.lost != b.lost ? a.lost > b.lost : a.number < b.number;
    }
  };
  std::priority_queue<SlowTransfer, std::vector<SlowTransfer>, std::greater<>> late_;
  const FastForward* fast_ = nullptr;
  std::optional<Time> uncertainty_;
  std::size_t first_record_ = 0;  ///< index of the first transfer record of this run
  double scale_ = 1;              ///< iterations of the whole schedule / simulated iterations
  collectives::Run result_;
};

}  // namespace railyard::sim::packet
