#include "apps/simulation.hpp"

#include "apps/choice.hpp"
#include "apps/engine.hpp"
#include "apps/setting.hpp"
#include "core/diagnostic.hpp"

namespace railyard::apps {
namespace {

EngineOptions engine_options(const SimFlags& flags, const topology::Cluster& cluster) {
  EngineOptions options{.fidelity = flags.fidelity,
                        .routing = routing_of(cluster, flags.fabric, flags.collective.seed),
                        .faults = faults_of(cluster, flags.fabric),
                        .expand = flags.expand,
                        .timeline = !flags.output.trace.empty(),
                        .certify = flags.certify};
  if (flags.coalesce.empty()) return options;
  const auto coalesce = core::parse_time(flags.coalesce);
  if (!coalesce.value) throw InputError("", "--coalesce", coalesce.error);
  options.coalesce = *coalesce.value;
  return options;
}

}  // namespace

Simulation::Simulation(const SimFlags& flags, Provenance& provenance)
    : flags_(flags),
      cluster_(load_cluster(flags.cluster, provenance)),
      engine_(make_engine(cluster_, engine_options(flags, cluster_))),
      analytic_(make_engine(
          cluster_, {.fidelity = "analytic",
                     .routing = routing_of(cluster_, flags.fabric, flags.collective.seed)})) {}

std::shared_ptr<const collectives::Group> Simulation::group() const {
  return group_of(cluster_, flags_.cluster);
}

collectives::Schedule Simulation::schedule(std::shared_ptr<const collectives::Group> group,
                                           const CollectiveFlags& flags, Bytes bytes) {
  collectives::Collective collective = collective_of(flags);
  collective.bytes = bytes;
  return chosen_schedule(
      {.cluster = cluster_,
       .group = std::move(group),
       .collective = collective,
       .algorithm = flags.algorithm,
       .protocol = protocol_of(flags),
       .channels = flags.channels,
       .environment = read_nccl_environment(flags_.nccl.environment, collective.kind)},
      *analytic_);
}

}  // namespace railyard::apps
