#include "apps/sim/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "apps/cli/flag_value.hpp"
#include "apps/cli/interruptible.hpp"
#include "apps/cli/nccl_flags.hpp"
#include "apps/cli/setting.hpp"
#include "collectives/nccl/choice/failing_nics.hpp"
#include "core/diagnostic.hpp"
#include "core/parallel.hpp"
#include "sim/engine.hpp"
#include "sim/flow/flow_memory.hpp"
#include "sim/packet/packet_defaults.hpp"
#include "sim/packet/packet_network.hpp"
#include "topology/cluster/node_order.hpp"
#include "topology/routing/convergence.hpp"
#include "topology/routing/routing_notes.hpp"

namespace railyard::apps {
namespace {

Time convergence_of(const SimFlags& flags, const std::vector<topology::TimedFault>& faults) {
  if (flags.convergence.empty()) return topology::kConvergence;
  const auto time = core::parse_time(flags.convergence);
  if (!time.value || *time.value < Time())
    throw InputError("", "--convergence", time.value ? "must not be negative" : time.error,
                     "--convergence 50ms");
  if (std::ranges::none_of(faults, topology::fails_later))
    throw InputError("", "--convergence", "applies to links that fail during the run",
                     "--fail 'pod0/leaf1 -- pod0/spine2@1ms'");
  return *time.value;
}

sim::EngineOptions engine_options(const SimFlags& flags, const FabricFlags& fabric,
                                  const topology::Cluster& cluster,
                                  const std::shared_ptr<collectives::nccl::FittedPace>& timing,
                                  Provenance& provenance, sim::RunWatch watch,
                                  sim::Announce announce) {
  check_packet_flags(flags.packet, flags.fidelity);
  sim::EngineOptions options{
      .fidelity = flags.fidelity,
      .routing = routing_of(cluster, fabric, flags.collective.seed),
      .faults = faults_of(cluster, fabric,
                          flags.fidelity == "packet" ? FaultEnds::allowed : FaultEnds::refused),
      .expand = flags.expand,
      .timeline = !flags.output.trace.empty(),
      .certify = flags.certify,
      .timing = timing,
      .loads = flags.links,
      .threads = core::thread_count(flags.threads),
      .watch = std::move(watch),
      .announce = std::move(announce)};
  options.convergence = convergence_of(flags, options.faults);
  if (flags.fidelity == "packet") {
    options.packet = packet_options(cluster, flags.packet, provenance);
    // The report shows ports and victims for messages, which are a single run.
    if (!options.packet.records && !flags.traffic.empty() && !flags.output.json.empty())
      options.packet.records = std::make_shared<sim::packet::PacketRecords>();
    options.routing = sim::packet::packet_routing(options.packet.parameters.transport,
                                                  options.routing, !fabric.routing.empty());
  }
  if (flags.coalesce.empty()) return options;
  options.coalesce = flag_value(core::parse_time(flags.coalesce), "--coalesce");
  return options;
}

/// The reason why all seeds give the same result; "" if they may differ. Packet simulations draw
/// marks and paths with every routing policy.
std::string why_seed_is_unused(const SimFlags& flags, topology::RoutingPolicy policy) {
  if (flags.fidelity == "packet" || flags.rank_order == "random" || !flags.background.empty())
    return "";
  return std::string(topology::why_seed_is_unused(policy));
}

/// --timing, otherwise the default of the fidelity.
TimingFlags timing_flags(const SimFlags& flags) {
  TimingFlags timing = flags.timing;
  const bool is_nominal = flags.fidelity == "packet" || flags.expand;
  if (timing.timing.empty()) timing.timing = is_nominal ? "nominal" : "fitted";
  return timing;
}

}  // namespace

Simulation::Simulation(const SimFlags& flags, Provenance& provenance, sim::RunWatch watch,
                       sim::Announce announce)
    : flags_(flags),
      environment_(nccl_environment_of(flags.nccl)),
      fabric_(with_environment(flags.fabric, environment_)),
      cluster_(load_cluster(flags.cluster, fabric_, provenance)),
      timing_(make_timing(cluster_, flags.cluster, timing_flags(flags), environment_)),
      options_(engine_options(flags, fabric_, cluster_, timing_, provenance, std::move(watch),
                              std::move(announce))),
      engine_(sim::make_engine(cluster_, options_)),
      analytic_(sim::make_engine(
          cluster_, {.fidelity = "analytic",
                     .routing = routing_of(cluster_, fabric_, flags.collective.seed)})),
      chooser_(cluster_, *analytic_, environment_) {
  loading_notes_ = provenance.notes;
  collectives::nccl::check_failing_nics(cluster_, fabric_.failures, environment_);
  if (environment_.registered && !timing_)
    throw InputError("", "--registered", "requires fitted times",
                     "symmetric kernels have no nominal times: --timing fitted");
  add_timing_facts(timing_.get(), timing_flags(flags), provenance);
}

std::uint64_t Simulation::memory(const collectives::Schedule& schedule) const {
  if (flags_.fidelity != "packet") return sim::flow_memory(cluster_, schedule, flags_.expand);
  const collectives::Schedule* const one = &schedule;
  return sim::packet_memory(
      cluster_, {&one, 1}, {.routing = options_.routing, .parameters = options_.packet.parameters});
}

std::set<std::string> Simulation::notes() const {
  std::set<std::string> notes = chooser_.notes();
  if (!environment_.release_note.empty()) notes.insert(environment_.release_note);
  const std::string unused = why_seed_is_unused(flags_, options_.routing.policy);
  if (!unused.empty() && (flags_.collective.seed || flags_.seeds > 1))
    notes.insert(
        fmt::format("{} has no effect: {}; only ecmp, balanced and adaptive routing use the seed",
                    flags_.seeds > 1 ? "--seeds" : "--seed", unused));
  if (flags_.certify)
    notes.insert("the simulated rates were proven to be max-min fair (--certify)");
  if (flags_.fidelity != "analytic" && std::ranges::any_of(options_.faults, topology::fails_later))
    notes.insert(
        fmt::format("routing avoids links that fail during the run after {} ms (--convergence); "
                    "until then traffic over them {}",
                    options_.convergence.seconds() * 1e3,
                    flags_.fidelity == "flow" ? "waits" : "is lost and sent again"));
  if (timing_) notes.merge(timing_->notes());
  notes.insert(loading_notes_.begin(), loading_notes_.end());
  for (std::string& note : topology::routing_notes(cluster_, options_.routing))
    notes.insert(std::move(note));
  return notes;
}

std::unique_ptr<collectives::Executor> Simulation::engine_of_seed(
    std::uint64_t seed, const collectives::MessageTasks& messages, int concurrent_runs) const {
  sim::EngineOptions options = options_;
  if (options.fidelity == "packet")
    options.threads = std::max(1, options.threads / std::max(concurrent_runs, 1));
  options.routing.seed = seed;
  options.packet.message_classes = messages.classes;
  options.packet.message_reads = messages.reads;
  return sim::make_engine(cluster_, options);
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
  crosses_fabric_ = crosses_fabric_ || group->nodes().size() > 1;
  collectives::Collective collective = collective_of(flags);
  collective.bytes = bytes;
  return chooser_.chosen_schedule({.group = std::move(group),
                                   .collective = collective,
                                   .algorithm = flags.algorithm,
                                   .protocol = protocol_of(flags),
                                   .channels = flags.channels});
}

collectives::MessageTasks Simulation::messages(const std::vector<std::string>& traffic,
                                               const char* flag, std::uint64_t seed) {
  const auto ranks = group(this->seed());
  crosses_fabric_ = crosses_fabric_ || ranks->nodes().size() > 1;
  return collectives::message_tasks(
      traffic, {.cluster = cluster_, .ranks = ranks->size(), .seed = seed, .flag = flag});
}

}  // namespace railyard::apps
