#pragma once

#include <string>

#include "topology/cluster/cluster.hpp"
#include "topology/cluster/faults.hpp"

namespace railyard::apps {

/// What a value of --fail fails. Throws InputError that names the flag.
[[nodiscard]] topology::TimedFault failure_of(const topology::Cluster& cluster,
                                              const std::string& text);
/// The same for --degrade.
[[nodiscard]] topology::TimedFault degradation_of(const topology::Cluster& cluster,
                                                  const std::string& text);
/// The links and times of a value of --storm, as failed ones.
[[nodiscard]] topology::TimedFault storm_of(const topology::Cluster& cluster,
                                            const std::string& text);

}  // namespace railyard::apps
