#include "sim/workload/packet_traffic.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "collectives/workload/load_schedules.hpp"
#include "core/memory_need.hpp"
#include "sim/packet/option_check.hpp"
#include "sim/packet/packet_network.hpp"
#include "sim/workload/load_profiles.hpp"

namespace railyard::sim {
namespace {

packet::PacketOptions packet_options(const WorkloadOptions& options) {
  packet::PacketOptions its = *options.packet;
  its.routing = options.routing;
  its.faults = options.faults;
  check(its);
  return its;
}

}  // namespace

PacketTraffic::PacketTraffic(const topology::Cluster& cluster,
                             const collectives::Communications& loads, std::span<const Rank> gpus,
                             const WorkloadOptions& options, std::span<const IsolatedTime> profiles)
    : loads_(loads),
      profiles_(profiles),
      options_(packet_options(options)),
      schedules_(collectives::load_schedules(loads, cluster, gpus, options.schedule)),
      runs_(cluster, options_, *this) {
  std::vector<const collectives::Schedule*> all;
  for (const auto& schedule : schedules_)
    if (schedule != nullptr) all.push_back(schedule.get());
  const std::string text = core::check_memory(
      {.bytes = packet_memory(cluster, all, options_),
       .run = fmt::format("the packet simulation of {} collectives and messages", all.size()),
       .instead = "--fidelity flow"});
  if (options.announce && !text.empty()) options.announce(text);
  for (std::size_t i = 0; i < schedules_.size(); ++i)
    if (schedules_[i] != nullptr)
      runs_.connect(*schedules_[i], loads.loads()[i].transport, traffic_class());
  runs_.prepare(kWindow);
}

void PacketTraffic::start(std::uint32_t meeting, std::uint32_t load, float rate_share, Time now) {
  const std::uint32_t run =
      runs_.add(*schedules_[load], loads_.loads()[load].transport, traffic_class());
  const Time earliest =
      rate_share < 1 ? now + time_with_share(profiles_[load], rate_share) : Time();
  run_of_.push_back({.meeting = meeting, .earliest = earliest, .end = now});
  ++running_;
  runs_.start(run, now, runs_.engine().next_post());
}

void PacketTraffic::ended(const packet::ScheduleRuns::Channel& channel, std::uint32_t /*transfer*/,
                          Time at, bool open) {
  Run& run = run_of_[channel.run];
  run.end = std::max(run.end, at);
  if (!open) ends_.emplace(std::max(run.end, run.earliest), channel.run);
}

std::span<const std::uint32_t> PacketTraffic::advance(Time until) {
  ended_.clear();
  // The earliest recorded end is the next one if all windows of time before it have been simulated.
  while (runs_.engine().advance(ends_.empty() ? until : std::min(until, ends_.top().first))) {
  }
  if (ends_.empty()) {
    if (until == Time::never()) runs_.engine().finish();  // reports messages that wait forever
    return ended_;
  }
  if (ends_.top().first > until) return ended_;
  now_ = ends_.top().first;
  for (; !ends_.empty() && ends_.top().first == now_; ends_.pop()) {
    const std::uint32_t run = ends_.top().second;
    ended_.push_back(run_of_[run].meeting);
    runs_.drop(run);
    --running_;
  }
  return ended_;
}

std::string PacketTraffic::describe() const {
  const packet::Counters& counted = runs_.engine().counters();
  return fmt::format(
      "packets: {} data packets over links, {} marked, {} pauses, {} lost, {} sent again",
      counted.data_hops, counted.marked, counted.pauses, counted.lost + counted.nic_lost,
      counted.retransmitted);
}

}  // namespace railyard::sim
