#include "collectives/nccl/timing/fitted_time.hpp"

#include <algorithm>

#include "topology/node/host_rank.hpp"
#include "topology/node/node_graph.hpp"

namespace railyard::collectives::nccl {
namespace {

/// Numbers in the node of the GPUs that a group has on its first node, in rank order.
std::vector<int> gpus_of(const topology::Cluster& cluster, const Group& group) {
  const GroupNode& node = group.nodes().front();
  const std::vector<int> numbers =
      topology::build_node_graph(cluster.shape(node.node).spec()).gpu_numbers;
  std::vector<int> gpus;
  for (const std::uint32_t position : group.members(node)) {
    const int local = cluster.local_gpu(group.rank(position));
    gpus.push_back(numbers[static_cast<std::size_t>(local)]);
  }
  return gpus;
}

/// What the switch ports of a node's NICs carry, GB/s by NIC; of a NIC without one its own rate.
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

}  // namespace

struct FittedTime::Known {
  std::vector<Rank> ranks;
  TuningModel model;
  Machine machine;
};

FittedTime::FittedTime(const topology::Cluster& cluster, Options options)
    : cluster_(cluster),
      options_(std::move(options)),
      search_(cluster, options_.search),
      router_(cluster, topology::RoutingOptions{}) {}

FittedTime::FittedTime(FittedTime&&) noexcept = default;
FittedTime::~FittedTime() = default;

const FittedTime::Known* FittedTime::known(const Group& group) {
  if (group.size() < 2) return nullptr;
  for (const auto& known : known_)
    if (std::ranges::equal(known->ranks, group.ranks())) return known.get();
  const NodeId node = group.nodes().front().node;
  const topology::NodeShape& shape = cluster_.shape(node);
  if (topology::is_host_rank(shape.spec().gpu)) return nullptr;
  TuningModel model =
      make_tuning_model(search_.communicator(group), options_.search.version, options_.tuning);
  const std::vector<int> gpus = gpus_of(cluster_, group);
  const std::vector<double> ports = port_rates(cluster_, node);
  Machine machine = make_machine(
      model.communicator, {.shape = shape, .gpus = gpus, .port_rates = ports}, options_.timings);
  set_buffers(machine, model.communicator, options_.sends);
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

}  // namespace railyard::collectives::nccl
