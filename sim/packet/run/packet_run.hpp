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

/// One packet simulation of tasks: their schedules run, and what is known of them in the end.
class PacketRun final : ScheduleRuns::Listener {
 public:
  PacketRun(const topology::Cluster& cluster, const PacketOptions& options,
            std::span<const collectives::Task> tasks);
  /// The only task is a shortened schedule; the result is to be that of the whole one.
  void stand_for(const FastForward& fast) { fast_ = &fast; }
  [[nodiscard]] collectives::Run run();
  /// After a run that stands for another one: what its time is uncertain by; nothing where it was
  /// stopped early.
  [[nodiscard]] std::optional<Time> uncertainty() const { return uncertainty_; }
  /// After a run of a sample of nodes: whether the others had done the same. Nodes influence each
  /// other beyond the paths of their packets where a switch pauses or loses because its buffer is
  /// full of packets of others, and random marks differ by link.
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
  /// Ports of the cluster: they have the first numbers of the engine's.
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
  std::vector<std::int64_t> completion_;  ///< ps, of transfers that are done
  std::vector<float> slowdown_;           ///< of those
  std::vector<Time> ends_;  ///< by number of a transfer, where the run stands for another one
  /// The transfers that lost most time against an empty network.
  struct SlowTransfer {
    Time lost;
    std::uint32_t number = 0;  ///< of the transfer among those of all channels
    std::uint32_t set = 0;     ///< its queue pairs
    TransferRecord transfer;
    friend bool operator>(const SlowTransfer& a, const SlowTransfer& b) {
      return a.lost != b.lost ? a.lost > b.lost : a.number < b.number;
    }
  };
  std::priority_queue<SlowTransfer, std::vector<SlowTransfer>, std::greater<>> late_;
  const FastForward* fast_ = nullptr;
  std::optional<Time> uncertainty_;
  std::size_t first_record_ = 0;  ///< of a transfer of this run
  double scale_ = 1;              ///< iterations of the whole schedule over those simulated
  collectives::Run result_;
};

}  // namespace railyard::sim::packet
