#include "collectives/nccl/timing/fitted_time.hpp"

#include <algorithm>

#include "topology/node/host_rank.hpp"
#include "topology/node/node_graph.hpp"

namespace railyard::collectives::nccl {
namespace {

/// The GPUs of a group on a node, as numbers within the node, in rank order.
std::vector<int> gpus_of(const topology::Cluster& cluster, const Group& group,
                         const GroupNode& node) {
  const std::vector<int> numbers =
      topology::build_node_graph(cluster.shape(node.node).spec()).gpu_numbers;
  std::vector<int> gpus;
  for (const std::uint32_t position : group.members(node)) {
    const int local = cluster.local_gpu(group.rank(position));
    gpus.push_back(numbers[static_cast<std::size_t>(local)]);
  }
  return gpus;
}

/// The rates of the switch ports of a node's NICs in GB/s, by NIC; without a port, the rate of the
/// NIC.
std::vector<double> port_rates(const topology::Cluster& cluster, NodeId node) {
  const topology::NodeShape& shape = cluster.shape(node);
  std::vector<double> rates;
  for (int nic = 0; nic < shape.nic_count(); ++nic) {
    double rate = 0;
    for (const LinkId link : cluster.out_links(cluster.nic(node, nic)))
      if (cluster.link(link).kind == topology::LinkKind::port)
        rate += cluster.link(link).bandwidth.gigabytes_per_second();
    rates.push_back(rate > 0 ? rate : shape.nic_rate(nic).gigabytes_per_second());
  }
  return rates;
}

/// The graphs that NCCL found on a node, or on its parts; empty if all nodes have the same.
std::vector<const Graphs*> graphs_of(const Communicator& communicator, const Group& group,
                                     const GroupNode& node) {
  std::vector<const Graphs*> graphs;
  if (communicator.node_graphs.empty()) return graphs;
  const auto positions = group.members(node);
  for (const CommunicatorNode& member : communicator.members) {
    const auto is_here = [&](std::uint32_t position) {
      return !member.ranks.empty() && member.ranks.front() == static_cast<int>(position);
    };
    if (std::ranges::any_of(positions, is_here))
      graphs.push_back(&communicator.node_graphs[member.kind]);
  }
  return graphs;
}

SearchEnvironment without_channel_limits(SearchEnvironment environment) {
  environment.min_channels = environment.max_channels = {};
  environment.min_ctas = environment.max_ctas = environment.nvls_channels = {};
  return environment;
}

/// Replaces the NICs by those of another machine if these are slower.
void take_slower_nics(Machine& machine, const Machine& other) {
  if (other.network_rate() < machine.network_rate()) {
    machine.nics = other.nics;
    machine.nic_count = other.nic_count;
    machine.nic_limit = other.nic_limit;
  }
  machine.exchange_nics = std::min(machine.exchange_nics, other.exchange_nics);
}

}  // namespace

struct FittedTime::Known {
  std::vector<Rank> ranks;
  TuningModel model;
  Machine machine;
};

FittedTime::FittedTime(const topology::Cluster& cluster, Options options)
    : cluster_(cluster),
      options_(std::move(options)),
      search_(cluster, without_channel_limits(options_.search)),
      router_(cluster, topology::RoutingOptions{}) {
  if (options_.search != without_channel_limits(options_.search))
    limited_.emplace(cluster, options_.search);
}

FittedTime::FittedTime(FittedTime&&) noexcept = default;
FittedTime::~FittedTime() = default;

const FittedTime::Known* FittedTime::known(const Group& group) {
  if (group.size() < 2) return nullptr;
  for (const auto& known : known_)
    if (std::ranges::equal(known->ranks, group.ranks())) return known.get();
  const GroupNode& first = group.nodes().front();
  if (topology::is_host_rank(cluster_.shape(first.node).spec().gpu)) return nullptr;
  TuningModel model =
      make_tuning_model(search_.communicator(group), options_.search.version, options_.tuning);
  const auto machine_of = [&](const GroupNode& node) {
    const std::vector<int> gpus = gpus_of(cluster_, group, node);
    const std::vector<double> ports = port_rates(cluster_, node.node);
    const std::vector<const Graphs*> graphs = graphs_of(model.communicator, group, node);
    return make_machine(
        model.communicator,
        {.shape = cluster_.shape(node.node), .gpus = gpus, .port_rates = ports, .graphs = graphs},
        options_.timings);
  };
  Machine machine = machine_of(first);
  // If nodes differ, for example because a NIC has failed, the node with the slowest NICs
  // determines the rate.
  std::vector<std::uint32_t> seen{cluster_.node(first.node).shape};
  for (const GroupNode& node : group.nodes()) {
    const std::uint32_t shape = cluster_.node(node.node).shape;
    if (std::ranges::find(seen, shape) != seen.end()) continue;
    seen.push_back(shape);
    take_slower_nics(machine, machine_of(node));
  }
  // Sends use NCCL's number of channels, including its limits.
  set_buffers(machine, limited_ ? limited_->communicator(group) : model.communicator,
              options_.sends);
  machine.round_trips = round_trips(cluster_, router_, group, options_.timings.fabric.round_trip);
  known_.push_back(std::make_unique<const Known>(
      Known{{group.ranks().begin(), group.ranks().end()}, std::move(model), machine}));
  return known_.back().get();
}

const Machine* FittedTime::machine(const Group& group) {
  const Known* found = known(group);
  return found == nullptr ? nullptr : &found->machine;
}

std::optional<FittedTime::MachineQuery> FittedTime::query(const Group& group,
                                                          const NamedAlgorithm& named) {
  const Known* found = known(group);
  if (found == nullptr) return std::nullopt;
  const auto query = named_query(found->model, found->machine, named);
  if (!query) return std::nullopt;
  return MachineQuery{found->machine, *query};
}

std::optional<FittedTime::MachineQuery> FittedTime::query(const Schedule& schedule) {
  return query(schedule.group(), {.collective = schedule.collective(),
                                  .algorithm = schedule.algorithm(),
                                  .protocol = schedule.protocol(),
                                  .channels = static_cast<int>(schedule.channels().size())});
}

std::optional<SymmetricEstimate> FittedTime::registered(const Schedule& schedule) {
  const Known* found = known(schedule.group());
  if (found == nullptr) return std::nullopt;
  const Collective& collective = schedule.collective();
  return registered_estimate(found->model.communicator,
                             {.kind = collective.kind,
                              .bytes = collective.bytes.count(),
                              .type = collective.type,
                              .op = collective.op},
                             schedule.algorithm());
}

}  // namespace railyard::collectives::nccl
