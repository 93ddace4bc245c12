#include "sim/packet/packet_network.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/diagnostic.hpp"
#include "sim/packet/parameter_check.hpp"
#include "sim/packet/run/packet_run.hpp"
#include "sim/run_memory.hpp"

namespace railyard::sim {
namespace {

using collectives::Run;
using collectives::Task;

// Replay: 40 bytes a transfer (sim/flow/replay.hpp); packet_run.hpp: 30 by transfer.
constexpr std::uint64_t kPerTransfer = 80;
// By queue: Link, LinkSpec, a first ring of packets, sender, counters, the router's tables.
constexpr std::uint64_t kPerLink = 1200;
// Queue pair and rate, two routes of up to 8 links and their legs, a message, an entry of the table
// of connections, events.
constexpr std::uint64_t kPerPair = 600;
constexpr std::uint64_t kPerPath = 100;

/// Connections of a channel: at most one per transfer of an iteration.
std::uint64_t connections_of(const collectives::Channel& channel, std::uint64_t pairs) {
  std::uint64_t sum = 0;
  for (const collectives::Loop& loop : channel.loops)
    for (const collectives::Step& step : loop.steps) sum += step.size();
  return std::min(sum, pairs);
}

/// Without the links of the cluster.
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
  const bool notes = options.records && options.records->wants_transfers;
  return schedule.transfer_count() * (kPerTransfer + (notes ? sizeof(packet::TransferRecord) : 0)) +
         connections * qps *
             (packet::Engine::pair_bytes(options.parameters) + kPerPair + paths * kPerPath);
}

}  // namespace

std::uint64_t packet_memory(const topology::Cluster& cluster, const collectives::Schedule& schedule,
                            const packet::PacketOptions& options) {
  return cluster.link_count() * queue_count(options.parameters.switches) * kPerLink +
         memory_of(schedule, options);
}

PacketNetwork::PacketNetwork(const topology::Cluster& cluster, packet::PacketOptions options)
    : cluster_(cluster), options_(std::move(options)) {
  check(options_.parameters);
  const std::size_t classes = class_count(options_.parameters.switches);
  for (const std::uint32_t asked : options_.message_classes)
    if (asked >= classes)
      throw InputError("", "--packet-config",
                       fmt::format("switches.classes has {} class{}, and a message is of class {}",
                                   classes, classes == 1 ? "" : "es", asked),
                       "classes count from 0: add to switches.classes, or change class=N of the "
                       "traffic");
  const packet::NicParameters& nic = options_.parameters.nic;
  const bool has_paths = options_.routing.policy == topology::RoutingPolicy::spray;
  const bool has_flowlets = nic.path_choice == packet::PathChoice::flowlet;
  const bool sprays = has_paths && !has_flowlets;
  if (has_paths && packet::needs_round_trips(options_.parameters.congestion))
    throw InputError("", "--routing",
                     "spray is not supported with --congestion hpcc, swift and timely: they need "
                     "the round-trip time and the ports of one path",
                     "choose another --routing or --congestion");
  if (sprays && !options_.parameters.switches.lossless &&
      nic.recovery == packet::Recovery::go_back_n)
    throw InputError("", "--routing",
                     "spray needs switches that lose nothing: go-back-N cannot tell a packet that "
                     "was overtaken from one that was lost",
                     "use a packet configuration with lossless switches or with nic.recovery "
                     "selective, or another --routing");
  const bool fails_later = std::ranges::any_of(
      options_.later_faults, [](const auto& fault) { return !fault.faults.failed.empty(); });
  const bool adapts = options_.routing.policy == topology::RoutingPolicy::adaptive &&
                      options_.parameters.transport == packet::Transport::ib;
  if (fails_later && options_.parameters.congestion == packet::Congestion::hpcc)
    throw InputError("", "--fail",
                     "hpcc is not supported with links that fail during the run: it compares the "
                     "records of one path",
                     "leave out the time, or choose another --congestion");
  if (fails_later && adapts)
    throw InputError("", "--fail",
                     "adaptive switches are not supported with links that fail during the run",
                     "leave out the time, or choose another --routing");
  if (fails_later && sprays && nic.recovery == packet::Recovery::go_back_n)
    throw InputError("", "--fail",
                     "a link that fails during the run loses packets, which sprayed queue pairs "
                     "do not send again with go-back-N",
                     "use nic.recovery selective in --packet-config, or another --routing");
  if (adapts && has_flowlets)
    throw InputError("", "--path-choice",
                     "flowlet is not supported with adaptive switches, which choose the path of "
                     "each packet",
                     "leave it out, or use --routing spray");
  if (options_.is_path_choice_asked && !has_paths)
    throw InputError("", "--path-choice", "chooses among the paths of --routing spray",
                     "add --routing spray");
  if (options_.is_path_choice_asked && nic.path_choice == packet::PathChoice::reps &&
      nic.recovery != packet::Recovery::selective)
    throw InputError("", "--path-choice",
                     "reps needs acknowledgements of single packets, which go-back-N does not send",
                     "--transport uec, or nic.recovery selective in --packet-config");
}

Run PacketNetwork::run(std::span<const Task> tasks) {
  // Timelines and records show each transfer, and concurrent tasks have no common steady state.
  if (options_.fast_forward && !options_.timeline && !options_.records && tasks.size() == 1 &&
      options_.later_faults.empty())
    if (std::optional<Run> run = run_fast(tasks.front())) return std::move(*run);
  require_memory(tasks);
  return packet::PacketRun(cluster_, options_, tasks).run();
}

// Nothing where the schedule has no steady state, or does not reach it in time.
std::optional<Run> PacketNetwork::run_fast(const Task& task) const {
  using packet::FastForward;
  packet::Tries tries;
  FastForward fast{.whole = task.schedule, .period = packet::period_of(cluster_, *task.schedule)};
  fast.iterations = packet::first_iterations(fast);
  while (true) {
    const std::optional<collectives::Schedule> schedule = packet::shortened(fast);
    if (!schedule) return std::nullopt;
    const Task one{.schedule = &*schedule, .start = task.start, .name = task.name};
    require_memory({&one, 1});
    packet::PacketRun run(cluster_, options_, {&one, 1});
    run.stand_for(fast);
    Run result = run.run();
    if (!run.uncertainty()) return result;
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

void PacketNetwork::require_memory(std::span<const Task> tasks) const {
  std::uint64_t needed =
      cluster_.link_count() * queue_count(options_.parameters.switches) * kPerLink;
  for (const Task& task : tasks) needed += memory_of(*task.schedule, options_);
  check_memory({.bytes = needed, .engine = "packet", .tasks = tasks, .instead = "--fidelity flow"},
               options_.announce);
}

}  // namespace railyard::sim
