#include "sim/flow/flow_memory.hpp"

#include <algorithm>

#include "sim/flow/stage.hpp"

namespace railyard::sim {
namespace {

// Measured (results/flow_engine.md): 204 MB for the 1,047,552 transfers of an all-to-all among
// 1,024 GPUs are 195 bytes each. A transfer in the body of a ring has the hops of a route (8 of 16
// bytes) and its share of a stream (8 of 20).
constexpr std::uint64_t kPerTransfer = 300;
// Arrays by link of the router, the table of streams and the solvers.
constexpr std::uint64_t kPerLink = 250;

/// Transfers that a stage holds at the same time, at most.
std::uint64_t kept_by(const Stage& stage) {
  if (stage.kind != Stage::Kind::steady) return transfers_of(stage);
  // All loops go over the same connections.
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
