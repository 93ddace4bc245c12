#include "sim/flow/flow_memory.hpp"

#include <algorithm>

#include "sim/flow/stage.hpp"

namespace railyard::sim {
namespace {

// Measured (results/flow_engine.md): an all-to-all of 1,024 GPUs with 1,047,552 transfers needs 204
// MB, or 195 bytes per transfer. A transfer in the body of a ring needs memory for its route (8
// hops of 16 bytes) and its part of a stream (8 entries of 20 bytes).
constexpr std::uint64_t kPerTransfer = 300;
// Arrays by link in the router, the table of streams and the solvers.
constexpr std::uint64_t kPerLink = 250;

/// The largest number of transfers that a stage holds at the same time.
std::uint64_t kept_by(const Stage& stage) {
  if (stage.kind != Stage::Kind::steady) return transfers_of(stage);
  // All loops of a steady stage use the same connections.
  return transfers_of({.kind = stage.kind, .loops = stage.loops.first(1)}) /
         std::max<std::uint64_t>(stage.loops.front().repeat, 1);
}

}  // namespace

std::uint64_t flow_memory(const topology::Cluster& cluster, const collectives::Schedule& schedule,
                          bool expand) {
  std::uint64_t bytes = 0;
  for (const auto& channel : schedule.channels())
    bytes += transfer_memory(expand ? expanded_stages(channel) : stages(channel));
  return bytes + cluster.link_count() * kPerLink;
}

std::uint64_t transfer_memory(std::span<const Stage> stages) {
  std::uint64_t most = 0;
  for (const Stage& stage : stages) most = std::max(most, kept_by(stage));
  return most * kPerTransfer;
}

}  // namespace railyard::sim
