#include "apps/sim/simulation.hpp"

#include "apps/cli/nccl_flags.hpp"
#include "apps/cli/setting.hpp"
#include "apps/sim/engine.hpp"
#include "core/diagnostic.hpp"
#include "core/parallel.hpp"
#include "sim/flow/flow_memory.hpp"
#include "sim/packet/packet_network.hpp"
#include "topology/cluster/node_order.hpp"
#include "topology/fabric/port_count.hpp"

namespace railyard::apps {
namespace {

EngineOptions engine_options(const SimFlags& flags, const FabricFlags& fabric,
                             const topology::Cluster& cluster,
                             const std::shared_ptr<collectives::nccl::FittedPace>& timing,
                             Provenance& provenance, sim::packet::PacketWatch watch) {
  check_packet_flags(flags.packet, flags.fidelity);
  EngineOptions options{.fidelity = flags.fidelity,
                        .routing = routing_of(cluster, fabric, flags.collective.seed),
                        .faults = faults_of(cluster, fabric),
                        .expand = flags.expand,
                        .timeline = !flags.output.trace.empty(),
                        .certify = flags.certify,
                        .timing = timing,
                        .loads = flags.links,
                        .threads = core::thread_count(flags.threads)};
  if (flags.fidelity == "packet")
    options.packet = packet_options(cluster, flags.packet, provenance);
  options.packet.watch = std::move(watch);
  if (flags.coalesce.empty()) return options;
  const auto coalesce = core::parse_time(flags.coalesce);
  if (!coalesce.value) throw InputError("", "--coalesce", coalesce.error);
  options.coalesce = *coalesce.value;
  return options;
}

/// --timing, or what the fidelity uses without it.
TimingFlags timing_flags(const SimFlags& flags) {
  TimingFlags timing = flags.timing;
  if (timing.timing.empty()) timing.timing = flags.fidelity == "packet" ? "nominal" : "fitted";
  return timing;
}

}  // namespace

Simulation::Simulation(const SimFlags& flags, Provenance& provenance,
                       sim::packet::PacketWatch watch)
    : flags_(flags),
      cluster_(load_cluster(flags.cluster, provenance)),
      environment_(nccl_environment_of(flags.nccl)),
      fabric_(with_environment(flags.fabric, environment_)),
      timing_(make_timing(cluster_, flags.cluster, timing_flags(flags), environment_)),
      options_(engine_options(flags, fabric_, cluster_, timing_, provenance, std::move(watch))),
      engine_(make_engine(cluster_, options_)),
      analytic_(
          make_engine(cluster_, {.fidelity = "analytic",
                                 .routing = routing_of(cluster_, fabric_, flags.collective.seed)})),
      chooser_(cluster_, *analytic_, environment_) {
  add_timing_facts(timing_.get(), timing_flags(flags), provenance);
}

std::uint64_t Simulation::memory(const collectives::Schedule& schedule) const {
  if (flags_.fidelity != "packet") return sim::flow_memory(cluster_, schedule, flags_.expand);
  const topology::RoutingOptions routing = routing_of(cluster_, fabric_, flags_.collective.seed);
  return sim::packet_memory(cluster_, schedule, {.routing = routing});
}

std::set<std::string> Simulation::notes() const {
  std::set<std::string> notes = chooser_.notes();
  if (timing_) notes.merge(timing_->notes());
  const auto routing = routing_of(cluster_, fabric_, flags_.collective.seed);
  const bool crosses_planes =
      cluster_.spec().fabric.kind == topology::FabricKind::dual_plane && cluster_.node_count() > 1;
  if (crosses_planes && routing.qps == 1 && routing.policy != topology::RoutingPolicy::spray)
    notes.insert(
        "a connection of one queue pair uses one of the two planes, half of its NIC's rate: --qps "
        "2 uses both");
  if (!cluster_.spec().fabric.models[0]) return notes;
  for (const topology::PortFinding& found : topology::check_ports(cluster_)) {
    if (found.problem == topology::PortProblem::beyond_radix)
      notes.insert("this fabric cannot be built: " + found.message);
  }
  return notes;
}

std::unique_ptr<collectives::Executor> Simulation::engine_of_seed(std::uint64_t seed) const {
  EngineOptions options = options_;
  options.routing = routing_of(cluster_, fabric_, seed);
  return make_engine(cluster_, options);
}

std::shared_ptr<const collectives::Group> Simulation::group(std::uint64_t seed) const {
  const auto ranks = group_of(cluster_, flags_.cluster);
  if (flags_.rank_order == "contiguous") return ranks;
  const char* const flag = "--rank-order";
  return std::make_shared<const collectives::Group>(
      cluster_, topology::ranks_of_nodes(
                    cluster_, topology::nodes_in_order(cluster_, flags_.rank_order, seed, flag),
                    ranks->size(), flag));
}

collectives::Schedule Simulation::schedule(std::shared_ptr<const collectives::Group> group,
                                           const CollectiveFlags& flags, Bytes bytes) {
  collectives::Collective collective = collective_of(flags);
  collective.bytes = bytes;
  return chooser_.chosen_schedule({.group = std::move(group),
                                   .collective = collective,
                                   .algorithm = flags.algorithm,
                                   .protocol = protocol_of(flags),
                                   .channels = flags.channels});
}

}  // namespace railyard::apps
