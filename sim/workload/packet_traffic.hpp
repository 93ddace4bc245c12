#pragma once

#include <functional>
#include <memory>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "collectives/workload/communications.hpp"
#include "sim/analytic/analytic_network.hpp"
#include "sim/packet/packet_options.hpp"
#include "sim/packet/run/schedule_runs.hpp"
#include "sim/workload/load_traffic.hpp"
#include "sim/workload/workload_options.hpp"

namespace railyard::sim {

/// Loads in packet simulation: each is a run of its schedule. All collectives of a group (or
/// messages of a pair) use the same queue pairs.
///
/// A load with a share s of its rate sends at the full rate, but ends no earlier than alone with
/// that share (time_with_share). Messages posted within the current window of the engine wait for
/// the end of the window, at most kWindow.
class PacketTraffic final : public LoadTraffic, packet::ScheduleRuns::Listener {
 public:
  static constexpr Time kWindow = Time::picoseconds(1'000'000);

  /// All arguments must outlive it. `profiles`: by load. Throws InputError for conflicting options,
  /// for schedules that packet simulation does not support, and if it would not fit into memory.
  PacketTraffic(const topology::Cluster& cluster, const collectives::Communications& loads,
                std::span<const Rank> gpus, const WorkloadOptions& options,
                std::span<const IsolatedTime> profiles);

  [[nodiscard]] bool shares_links(std::uint32_t load) const override {
    return schedules_[load] != nullptr;
  }
  /// 0: the run includes launch and overheads.
  [[nodiscard]] Time before_start(std::uint32_t /*load*/, float /*rate_share*/) const override {
    return {};
  }
  void start(std::uint32_t meeting, std::uint32_t load, float rate_share, Time now) override;
  [[nodiscard]] bool is_idle() const override { return running_ == 0; }
  [[nodiscard]] std::span<const std::uint32_t> advance(Time until) override;
  [[nodiscard]] Time now() const override { return now_; }
  [[nodiscard]] std::string describe() const override;
  /// The bytes on links, including packet headers.
  [[nodiscard]] std::vector<collectives::LinkLoad> link_loads() const { return runs_.link_loads(); }

 private:
  struct Run {
    std::uint32_t meeting = 0;
    Time earliest{};  ///< end, by the load's share of its rate
    Time end{};       ///< of the transfers that have ended
  };
  using End = std::pair<Time, std::uint32_t>;  ///< and the run

  [[nodiscard]] std::uint32_t traffic_class() const {
    return static_cast<std::uint32_t>(options_.parameters.nic.collective_class);
  }
  void arrived(const packet::ScheduleRuns::Channel& /*channel*/, std::uint32_t /*transfer*/,
               Time /*at*/) override {}
  void ended(const packet::ScheduleRuns::Channel& channel, std::uint32_t transfer, Time at,
             bool open) override;

  const collectives::Communications& loads_;
  std::span<const IsolatedTime> profiles_;
  packet::PacketOptions options_;
  std::vector<std::unique_ptr<const collectives::Schedule>> schedules_;  ///< by load
  packet::ScheduleRuns runs_;
  std::vector<Run> run_of_;  ///< by number of a run
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  std::vector<std::uint32_t> ended_;
  std::size_t running_ = 0;
  Time now_{};
};

}  // namespace railyard::sim
