#include "sim/flow/byte_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "sim/flow/flow_workspace.hpp"
#include "sim/flow/transfer_routes.hpp"
#include "sim/flow/transfer_sequence.hpp"
#include "sim/link_capacity.hpp"
#include "sim/wire.hpp"
#include "topology/routing/hop_choice.hpp"

namespace railyard::sim {
namespace {

/// The wire bytes of all transfers of a task, by link.
void add_bytes(const topology::Cluster& cluster, const collectives::Schedule& schedule,
               std::size_t task, TransferRoutes& routes, std::vector<double>& bytes) {
  const WireFactors wire = wire_factors(cluster, schedule.protocol());
  std::vector<topology::Hop> hops;
  for (std::size_t c = 0; c < schedule.channels().size(); ++c) {
    const TransferSequence all(schedule.channels()[c].loops);
    all.for_each_step([&](const collectives::Step& step, std::uint64_t iteration, std::uint64_t) {
      for (std::uint64_t i = 0; i < step.size(); ++i) {
        const collectives::Transfer transfer = step.at(i, iteration);
        const auto payload = static_cast<double>(schedule.bytes(c, transfer).count());
        hops.clear();
        routes.append(schedule, transfer, connection_label(task, c), hops);
        for (const topology::Hop& hop : hops)
          bytes[hop.link.index()] += payload * hop.share * wire.of(cluster.link(hop.link).kind);
      }
    });
  }
}

}  // namespace

std::string link_with_other_bytes(const topology::Cluster& cluster,
                                  std::span<const collectives::Task> tasks,
                                  const FlowOptions& options, const collectives::Run& run) {
  TransferRoutes routes(cluster, options.routing, initial_faults(options));
  std::vector<double> expected(cluster.link_count(), 0.0), carried(cluster.link_count(), 0.0);
  for (std::size_t t = 0; t < tasks.size(); ++t)
    add_bytes(cluster, *tasks[t].schedule, t, routes, expected);
  for (const collectives::LinkLoad& load : run.link_loads) carried[load.link.index()] = load.bytes;
  // Tolerance for sums of as many terms as there are transfers, and for streams that end up to a
  // picosecond late.
  constexpr double kRounding = 1e-6;
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (std::abs(carried[i] - expected[i]) > 1 + kRounding * expected[i])
      return fmt::format("{} carried {:.0f} bytes, and the schedules send {:.0f} over it",
                         cluster.name(LinkId(i)), carried[i], expected[i]);
  return "";
}

void check_bytes([[maybe_unused]] const topology::Cluster& cluster,
                 [[maybe_unused]] std::span<const collectives::Task> tasks,
                 [[maybe_unused]] const FlowOptions& options,
                 [[maybe_unused]] const collectives::Run& run) {
#ifndef NDEBUG
  // The check takes a few milliseconds for this many transfers.
  constexpr std::uint64_t kMostTransfers = 1 << 13;
  constexpr std::size_t kMostLinks = 1 << 14;
  if (options.coalesce > 0 || !later_faults(options).empty()) return;
  if (!topology::is_stateless(options.routing.policy) || cluster.link_count() > kMostLinks) return;
  std::uint64_t transfers = 0;
  for (const collectives::Task& task : tasks) transfers += task.schedule->transfer_count();
  if (transfers > kMostTransfers) return;
  const std::string found = link_with_other_bytes(cluster, tasks, options, run);
  if (!found.empty()) throw std::logic_error(found);
#endif
}

}  // namespace railyard::sim
