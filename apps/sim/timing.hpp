#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "apps/cli/flag_groups.hpp"
#include "apps/nccl/nccl_environment.hpp"
#include "apps/output/rows.hpp"
#include "collectives/nccl/timing/fitted_time.hpp"
#include "collectives/schedule/pace.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::apps {

/// What times simulated collectives beside links: NCCL's time model (docs/models/nccl_time.md) with
/// the parameters of a cluster file, and the overhead of the benchmark whose numbers they stand
/// for.
/// For several threads at a time.
class FittedTiming {
 public:
  struct Setting {
    std::string cluster;  ///< file, or name in configs/clusters: whose parameters
    NcclEnvironment environment{};
    std::string harness = "process";
  };
  /// The cluster must outlive it. Throws InputError for a harness that configs/validation has not.
  FittedTiming(const topology::Cluster& cluster, const Setting& setting);

  /// Of a way of NCCL's on GPUs; nothing for any other, with a note.
  [[nodiscard]] std::optional<collectives::Pace> pace(const collectives::Schedule& schedule);

  /// The same of a way without its schedule.
  [[nodiscard]] std::optional<collectives::Pace> pace(const collectives::Group& group,
                                                      const collectives::nccl::NamedWay& way);

  /// What software gets of ports and links between switches, over what headers leave of them.
  [[nodiscard]] double network_share() const { return network_share_; }
  /// Which ways it did not know.
  [[nodiscard]] std::set<std::string> notes() const;
  /// "hopper, infiniband": the parameter sets.
  [[nodiscard]] const std::string& parameters() const { return parameters_; }

 private:
  [[nodiscard]] collectives::Pace pace(const collectives::Group& group,
                                       const collectives::nccl::FittedTime::Way& way) const;

  const topology::Cluster& cluster_;
  collectives::nccl::FittedTime model_;
  Time overhead_;
  double network_share_ = 1;
  std::string parameters_;
  mutable std::mutex mutex_;  ///< of the model's memory and the notes
  std::set<std::string> notes_;
};

/// Adds to a result what its times are by.
void add_timing_facts(const FittedTiming* timing, const TimingFlags& flags, Provenance& provenance);

/// What the flags ask for; nullptr for --timing nominal, and where ranks are on the cores of hosts,
/// which run no NCCL. Throws InputError for unknown names.
[[nodiscard]] std::shared_ptr<FittedTiming> make_timing(const topology::Cluster& cluster,
                                                        const ClusterFlags& cluster_flags,
                                                        const TimingFlags& flags,
                                                        const NcclEnvironment& environment);

}  // namespace railyard::apps
