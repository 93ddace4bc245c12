#include "sim/flow_network.hpp"

#include "sim/flow_run.hpp"

namespace railyard::sim {

FlowNetwork::FlowNetwork(const topology::Cluster& cluster, FlowOptions options)
    : cluster_(cluster), options_(std::move(options)) {}

collectives::Run FlowNetwork::run(std::span<const collectives::Task> tasks) {
  return FlowRun(cluster_, options_, tasks).run();
}

}  // namespace railyard::sim
