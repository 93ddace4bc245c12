#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "collectives/schedule/schedule.hpp"
#include "tests/topology/small_fabric.hpp"

namespace railyard::hw::testing {

/// Steps of written-out transfers, one loop of one iteration per step.
inline collectives::Channel channel_of(std::vector<std::vector<collectives::Transfer>> steps,
                                       std::uint64_t chunks_per_block) {
  collectives::Channel channel;
  channel.chunks_per_block = chunks_per_block;
  for (auto& transfers : steps) {
    collectives::Step step{collectives::ListPattern{
        std::make_shared<const std::vector<collectives::Transfer>>(std::move(transfers)), 0}};
    channel.loops.push_back(
        {.repeat = 1, .coupling = collectives::Coupling::exchange, .steps = {step}});
  }
  return channel;
}

/// A schedule of one channel over the first `ranks` ranks.
inline collectives::Schedule schedule_of(const topology::Cluster& cluster, std::size_t ranks,
                                         collectives::Collective collective,
                                         collectives::Channel channel,
                                         std::vector<DeviceId> reducers = {}) {
  collectives::Schedule::Parts parts;
  parts.algorithm = "written";
  parts.collective = collective;
  parts.group =
      std::make_shared<const collectives::Group>(collectives::Group::first(cluster, ranks));
  parts.reducers = std::move(reducers);
  parts.channels = {std::move(channel)};
  return collectives::Schedule(std::move(parts));
}

/// Nodes of GPUs with a NIC each, on one switch.
inline topology::Cluster cluster_of(int nodes, int gpus) {
  return topology::testing::small_cluster(
      topology::testing::fabric_of(topology::FabricKind::single_switch), nodes, gpus);
}

}  // namespace railyard::hw::testing
