#include "sim/workload/workload_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "collectives/workload/check_workload.hpp"
#include "core/diagnostic.hpp"
#include "core/memory_need.hpp"
#include "sim/link_capacity.hpp"
#include "sim/workload/fluid_traffic.hpp"
#include "sim/workload/load_profiles.hpp"
#include "sim/workload/packet_traffic.hpp"
#include "sim/workload/replay_loop.hpp"

namespace railyard::sim {
namespace {

using collectives::Communications;
using collectives::Meetings;
using collectives::WorkloadRun;

void check_gpus(const topology::Cluster& cluster, const collectives::Workload& workload,
                std::span<const Rank> gpus) {
  if (gpus.size() >= workload.ranks()) return;
  throw InputError(
      "", "",
      fmt::format("the workload has {} ranks, but there are {} GPUs for them", workload.ranks(),
                  gpus.size()),
      fmt::format("the cluster has {} GPUs; --nodes adds nodes", cluster.rank_count()));
}

// Memory per operation in bytes: an OperationRun of 48 bytes, its pending dependencies, its meeting
// and participant, and an event.
constexpr std::uint64_t kPerOperation = 96;

/// Throws if the classes have more operations than the options allow or the memory can hold.
void check_size(const collectives::Workload& workload, const collectives::RankClasses& classes,
                const WorkloadOptions& options) {
  std::uint64_t operations = 0;
  for (const auto& ranks : classes.ranks)
    operations += workload.program_of(ranks.front()).operations.size();
  if (options.most_operations > 0 && operations > options.most_operations)
    throw collectives::WorkloadTooLarge(
        "", "",
        fmt::format("{} ranks in {} classes have {} million operations, above the limit of {} "
                    "million",
                    workload.ranks(), classes.ranks.size(), (operations + 999'999) / 1'000'000,
                    options.most_operations / 1'000'000));
  const std::string text = core::check_memory(
      {.bytes = operations * kPerOperation,
       .run = fmt::format("the replay of {} operations", operations),
       .flag = {},
       .what_fits =
           [&](double part) {
             return fmt::format("{:.0f} of the {} classes of ranks",
                                std::floor(part * static_cast<double>(classes.ranks.size())),
                                classes.ranks.size());
           },
       .instead = options.expand ? "a replay without --expand" : ""});
  if (options.announce && !text.empty()) options.announce(text);
}

/// The bytes of each link. Every member of a class of transports runs as often as the first one.
std::vector<collectives::LinkLoad> link_loads(const topology::Cluster& cluster,
                                              const Communications& c,
                                              const collectives::RankClasses& classes,
                                              const Meetings& meetings,
                                              std::span<const IsolatedTime> profiles) {
  std::vector<std::uint64_t> times(profiles.size(), 0);
  for (const collectives::Meeting& meeting : meetings.meetings) ++times[meeting.load];
  std::vector<double> bytes(cluster.link_count(), 0.0);
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (times[i] == 0) continue;
    const collectives::Load& load = c.loads()[i];
    for (const std::uint32_t t : classes.transports[classes.of_transport[load.transport]])
      for (const auto& [link, each] : profiles[c.load(t, load.shape)].bytes)
        bytes[link.index()] += each * static_cast<double>(times[i]);
  }
  std::vector<collectives::LinkLoad> loads;
  for (std::size_t l = 0; l < bytes.size(); ++l)
    if (bytes[l] > 0)
      loads.push_back(link_load(LinkId(l), bytes[l], cluster.link(LinkId(l)).bandwidth));
  return loads;
}

/// Writes the results of classes to `result`. Returns whether all operations have ended.
bool collect(const collectives::Workload& workload, const collectives::RankClasses& classes,
             std::vector<std::vector<collectives::OperationRun>> runs, WorkloadRun& result) {
  bool all_end = true;
  for (std::size_t c = 0; c < runs.size(); ++c) {
    auto& its = result.classes.emplace_back();
    its.ranks = classes.ranks[c];
    its.role = workload.role_of(its.ranks.front());
    its.operations = std::move(runs[c]);
    for (const collectives::OperationRun& run : its.operations) {
      all_end = all_end && run.end != Time::never();
      its.end = std::max(its.end, run.end);
    }
    result.total = std::max(result.total, its.end);
  }
  return all_end;
}

}  // namespace

WorkloadRun run_workload(const topology::Cluster& cluster, const collectives::Workload& workload,
                         std::span<const Rank> gpus, const WorkloadOptions& options) {
  return PreparedWorkload(cluster, workload, gpus, options).run(options.most_operations);
}

PreparedWorkload::PreparedWorkload(const topology::Cluster& cluster,
                                   const collectives::Workload& workload,
                                   std::span<const Rank> gpus, WorkloadOptions options)
    : cluster_(cluster),
      gpus_(gpus.begin(), gpus.end()),
      options_(std::move(options)),
      communications_((check_gpus(cluster, workload, gpus), workload)),
      profiles_(load_profiles(cluster, communications_, gpus_, options_)) {
  if (!options_.packet) return;
  options_.expand = true;
  options_.shares_links = false;
}

WorkloadRun PreparedWorkload::run(std::uint64_t most_operations) const {
  WorkloadOptions options = options_;
  options.most_operations = most_operations;
  return run(options);
}

WorkloadRun PreparedWorkload::least(std::uint64_t most_operations) const {
  WorkloadOptions options = options_;
  options.most_operations = most_operations;
  options.packet.reset();
  options.expand = options.shares_links = options.slows_computation = false;
  return run(options);
}

WorkloadRun PreparedWorkload::run(const WorkloadOptions& options) const {
  const collectives::Workload& workload = communications_.workload();
  const FoldedNetwork network = fold(cluster_, communications_, profiles_, options);
  check_size(workload, network.classes, options);
  std::vector<Diagnostic> problems;
  const Meetings meetings = collectives::meetings_of(communications_, network.classes, problems);
  if (!problems.empty()) throw InputError(std::move(problems));
  std::unique_ptr<PacketTraffic> packets;
  std::unique_ptr<FluidTraffic> fluid;
  if (options.packet)
    packets = std::make_unique<PacketTraffic>(cluster_, communications_, gpus_, options, profiles_);
  else
    fluid = std::make_unique<FluidTraffic>(network, profiles_);
  LoadTraffic& traffic = packets ? static_cast<LoadTraffic&>(*packets) : *fluid;
  ReplayLoop loop(communications_, meetings, network, profiles_, traffic,
                  {.folds = !options.expand, .slows_computation = options.slows_computation});
  WorkloadRun result;
  if (!collect(workload, network.classes, loop.run(), result))
    throw InputError(collectives::check_workload(workload));
  result.critical_path = collectives::critical_path(result);
  result.link_loads =
      packets ? packets->link_loads()
              : link_loads(cluster_, communications_, network.classes, meetings, profiles_);
  result.notes.push_back(fmt::format(
      "workload: {} ranks in {} classes, {} of {} groups and pairs, {} links that "
      "concurrent traffic can fill in {} classes",
      workload.ranks(), network.classes.ranks.size(), network.classes.transports.size(),
      communications_.transports().size(), network.links, network.classes.links.size()));
  if (options.shares_links || options.packet) result.notes.push_back(traffic.describe());
  return result;
}

}  // namespace railyard::sim
