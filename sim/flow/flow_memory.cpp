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
std::uint64_t transfers_of(const Stage& stage) {
  std::uint64_t sum = 0;
  for (const auto& loop : stage.loops) {
    std::uint64_t body = 0;
    for (const auto& step : loop.steps) body += step.size();
    if (stage.kind == Stage::Kind::steady) return body;  // all loops go over the same connections
    sum += body * loop.repeat;
  }
  return sum;
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
  for (const Stage& stage : stages) most = std::max(most, transfers_of(stage));
  return most * kPerTransfer;
}

}  // namespace railyard::sim
