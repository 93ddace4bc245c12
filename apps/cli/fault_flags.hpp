#pragma once

#include <string>

#include "topology/cluster/cluster.hpp"
#include "topology/cluster/faults.hpp"

namespace railyard::apps {

/// The fault of a value of --fail. Throws InputError for the flag.
[[nodiscard]] topology::TimedFault failure_of(const topology::Cluster& cluster,
                                              const std::string& text);
/// The same for --degrade.
[[nodiscard]] topology::TimedFault degradation_of(const topology::Cluster& cluster,
                                                  const std::string& text);
/// The links and times of a value of --storm, as a failure.
[[nodiscard]] topology::TimedFault storm_of(const topology::Cluster& cluster,
                                            const std::string& text);

}  // namespace railyard::apps
