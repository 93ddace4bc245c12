#include "apps/explain/explain_setting.hpp"

#include <utility>

#include "apps/cli/nccl_flags.hpp"
#include "apps/cli/setting.hpp"
#include "apps/output/routing_columns.hpp"
#include "apps/sim/timing.hpp"

namespace railyard::apps {

ExplainSetting::ExplainSetting(const ExplainFlags& explain_flags, Provenance& provenance)
    : flags(explain_flags),
      environment(nccl_environment_of(flags.nccl)),
      fabric(with_environment(flags.fabric, environment)),
      cluster(load_cluster(flags.cluster, fabric, provenance)),
      analytic(sim::make_engine(cluster, engine_options())),
      chooser(cluster, *analytic, environment),
      timing(make_timing(cluster, flags.cluster, flags.timing, environment)),
      asked{.group = group_of(cluster, flags.cluster),
            .collective = collective_of(flags.collective),
            .algorithm = flags.collective.algorithm,
            .protocol = protocol_of(flags.collective),
            .channels = flags.collective.channels} {
  add_facts(flags.cluster, cluster, provenance);
  provenance.seed = seed_of(cluster, flags.collective.seed);
  provenance.facts.emplace_back("nccl", flags.nccl.version);
  add_timing_facts(timing.get(), flags.timing, provenance);
  add_routing_facts(engine_options().routing, provenance);
}

sim::EngineOptions ExplainSetting::engine_options(std::string fidelity) const {
  return {.fidelity = std::move(fidelity),
          .routing = routing_of(cluster, fabric, flags.collective.seed),
          .faults = faults_of(cluster, fabric)};
}

}  // namespace railyard::apps
