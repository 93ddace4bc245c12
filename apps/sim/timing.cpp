#include "apps/sim/timing.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/config/enum_names.hpp"
#include "core/diagnostic.hpp"
#include "topology/cluster/read_launch_mode.hpp"
#include "topology/cluster/read_timings.hpp"
#include "topology/node/host_rank.hpp"

namespace railyard::apps {

using collectives::nccl::FittedPace;

std::shared_ptr<FittedPace> make_timing(const topology::Cluster& cluster,
                                        const ClusterFlags& cluster_flags, const TimingFlags& flags,
                                        const collectives::nccl::NcclEnvironment& environment) {
  if (flags.timing == "nominal") {
    if (flags.harness != TimingFlags().harness)
      throw InputError("", "--harness", "applies to fitted times", "--timing fitted");
    return nullptr;
  }
  if (flags.timing != "fitted")
    throw InputError("", "--timing", core::unknown_name(flags.timing, {"fitted", "nominal"}));
  if (std::ranges::any_of(cluster.spec().node_specs, [](const topology::NodeSpec& node) {
        return topology::is_host_rank(node.gpu);
      }))
    return nullptr;
  const topology::LaunchCost launch = topology::read_launch_cost(flags.harness, "--harness");
  return std::make_shared<FittedPace>(cluster,
                                      collectives::nccl::FittedTime::Options{
                                          .search = environment.search,
                                          .tuning = environment.tuning,
                                          .sends = environment.p2p,
                                          .timings = topology::read_timings(cluster_flags.cluster)},
                                      launch);
}

void add_timing_facts(const FittedPace* timing, const TimingFlags& flags, Provenance& provenance) {
  if (timing == nullptr) {
    provenance.facts.emplace_back("timing", "nominal");
    return;
  }
  provenance.facts.emplace_back("timing", fmt::format("fitted ({})", timing->parameters()));
  provenance.facts.emplace_back("harness", flags.harness);
}

}  // namespace railyard::apps
