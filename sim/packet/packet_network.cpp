#include "sim/packet/packet_network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/available_memory.hpp"
#include "sim/packet/option_check.hpp"
#include "sim/packet/run/packet_run.hpp"
#include "sim/packet/run/reduction_units.hpp"
#include "sim/run_memory.hpp"

namespace railyard::sim {
namespace {

using collectives::Run;
using collectives::Task;

// Bytes per transfer: 40 of Replay (sim/flow/replay.hpp) and 30 of schedule_runs.hpp.
constexpr std::uint64_t kPerTransfer = 80;
// Bytes per queue: Link, LinkSpec, a first ring of packets, sender, counters, the router's tables.
constexpr std::uint64_t kPerLink = 1200;
// Bytes per queue pair: the pair and its rate, two routes of up to 8 links and their links in
// nodes, a message, an entry of the connection table, events.
constexpr std::uint64_t kPerPair = 600;
constexpr std::uint64_t kPerPath = 100;

/// The number of connections of a channel: at most one per transfer of an iteration.
std::uint64_t connections_of(const collectives::Channel& channel, std::uint64_t pairs) {
  std::uint64_t sum = 0;
  for (const collectives::Loop& loop : channel.loops)
    for (const collectives::Step& step : loop.steps) sum += step.size();
  return std::min(sum, pairs);
}

/// Memory without the links of the cluster.
std::uint64_t memory_of(const collectives::Schedule& schedule,
                        const packet::PacketOptions& options) {
  const std::uint64_t ranks = schedule.participants();
  std::uint64_t connections = 0;
  for (const collectives::Channel& channel : schedule.channels())
    connections += connections_of(channel, ranks * ranks);
  const auto qps = static_cast<std::uint64_t>(options.routing.qps);
  const bool adapts = options.routing.policy == topology::RoutingPolicy::adaptive &&
                      options.parameters.transport == packet::Transport::ib;
  const auto paths = adapts || options.routing.policy == topology::RoutingPolicy::spray
                         ? static_cast<std::uint64_t>(options.parameters.nic.paths)
                         : 1;
  // Read requests have queue pairs of their own, over the same paths.
  const std::uint64_t readers =
      std::ranges::find(options.message_reads, true) == options.message_reads.end()
          ? 0
          : packet::Engine::pair_bytes(options.parameters) + kPerPair;
  const bool notes = options.records && options.records->wants_transfers;
  return schedule.transfer_count() * (kPerTransfer + (notes ? sizeof(packet::TransferRecord) : 0)) +
         connections * qps *
             (packet::Engine::pair_bytes(options.parameters) + kPerPair + paths * kPerPath +
              readers);
}

}  // namespace

std::uint64_t packet_memory(const topology::Cluster& cluster,
                            std::span<const collectives::Schedule* const> schedules,
                            const packet::PacketOptions& options) {
  const std::uint64_t links = cluster.link_count() + packet::ReductionUnits(cluster).link_count();
  std::uint64_t bytes = links * queue_count(options.parameters.switches) * kPerLink;
  for (const collectives::Schedule* schedule : schedules) bytes += memory_of(*schedule, options);
  return bytes;
}

PacketNetwork::PacketNetwork(const topology::Cluster& cluster, packet::PacketOptions options)
    : cluster_(cluster), options_(std::move(options)) {
  check(options_);
}

Run PacketNetwork::run(std::span<const Task> tasks) {
  // Not possible if timelines or records need each transfer, or with several tasks, which have no
  // common steady state.
  if (options_.fast_forward && !options_.timeline && !options_.records && tasks.size() == 1 &&
      options_.later_faults.empty() && options_.storms.empty())
    if (std::optional<Run> run = run_fast(tasks.front())) return std::move(*run);
  const packet::PacketOptions options = options_for(tasks);
  return packet::PacketRun(cluster_, options, tasks).run();
}

// Runs a task with fast-forward. Nothing if the schedule has no steady state or does not reach it
// in time.
std::optional<Run> PacketNetwork::run_fast(const Task& task) const {
  using packet::FastForward;
  packet::UncertaintyTrend tries;
  FastForward fast{.whole = task.schedule, .period = packet::period_of(cluster_, *task.schedule)};
  fast.iterations = packet::first_iterations(fast);
  if (!packet::shortened(fast)) return std::nullopt;
  std::optional<packet::RingNodes> nodes =
      packet::RingNodes::of(cluster_, options_, *task.schedule);
  while (true) {
    fast.sample = nullptr;
    const std::optional<packet::RingSample> sample =
        nodes ? packet::sample_of(cluster_, options_, *nodes, fast) : std::nullopt;
    fast.sample = sample ? &*sample : nullptr;
    const std::optional<collectives::Schedule> schedule = packet::shortened(fast);
    if (!schedule) return std::nullopt;
    const Task one{.schedule = &*schedule, .start = task.start, .name = task.name};
    const packet::PacketOptions options = options_for({&one, 1});
    packet::PacketRun run(cluster_, options, {&one, 1});
    run.stand_for(fast);
    Run result = run.run();
    if (!run.uncertainty()) return result;
    if (sample && !run.is_representative()) {
      nodes.reset();
      continue;
    }
    const double time = (result.tasks.front().finish - task.start).seconds();
    const double bound = run.uncertainty()->seconds() / time;
    if (bound > FastForward::kBound) {
      tries.add(fast.iterations, bound);
      if (!packet::shortened({.whole = task.schedule, .iterations = tries.enough()}))
        return std::nullopt;
      fast.iterations = tries.next();
      continue;
    }
    result.notes.push_back(fmt::format(
        "packet simulation ran {} of {} transfers and extrapolated the rest from the steady state; "
        "the estimated uncertainty of the time is {:.2f} % (--no-fast-forward runs all transfers)",
        schedule->transfer_count(), task.schedule->transfer_count(), 100 * bound));
    return result;
  }
}

// Checks the memory. Each thread has its own links and queue pairs.
packet::PacketOptions PacketNetwork::options_for(std::span<const Task> tasks) const {
  std::vector<const collectives::Schedule*> schedules;
  for (const Task& task : tasks) schedules.push_back(task.schedule);
  const std::uint64_t bytes = packet_memory(cluster_, schedules, options_);
  check_memory({.bytes = bytes, .engine = "packet", .tasks = tasks, .instead = "--fidelity flow"},
               options_.announce);
  packet::PacketOptions options = options_;
  const std::uint64_t fit = core::available_memory() / 2 / std::max<std::uint64_t>(bytes, 1);
  options.threads = static_cast<int>(std::min(
      static_cast<std::uint64_t>(std::max(options.threads, 1)), std::max<std::uint64_t>(fit, 1)));
  return options;
}

}  // namespace railyard::sim
