#pragma once

#include <string_view>
#include <vector>

#include "core/id.hpp"
#include "core/units.hpp"

namespace railyard::topology {

class Cluster;

/// A link with reduced bandwidth.
struct Degradation {
  LinkId link;
  double factor = 1.0;  ///< fraction of the nominal bandwidth, in (0, 1]
};

/// The failed and degraded links of a cluster.
struct Faults {
  std::vector<LinkId> failed;
  std::vector<Degradation> degraded;
};

/// Faults that begin at time `at` and end at time `until` (never by default).
struct TimedFault {
  Time at;
  Faults faults;
  Time until = Time::never();
  [[nodiscard]] bool ends() const { return until != Time::never(); }
};

/// Parses a link selector: "A -- B" (both directions), "A -> B" (one direction) or "A" (every link
/// of the device), each with an optional "#k" that selects one of several parallel cables (numbered
/// from 0). The names are those of Cluster::name. Throws InputError that suggests similar names.
[[nodiscard]] std::vector<LinkId> find_links(const Cluster& cluster, std::string_view selector);

/// Parses a value of --fail: a link selector, optionally followed by "@" and the time of the
/// failure, or the times of failure and repair. Examples: "pod0/leaf1 -- pod0/spine2" (fails at
/// time 0), "node3/nic1@2ms", "core7@1ms..3ms". Throws InputError.
[[nodiscard]] TimedFault parse_failure(const Cluster& cluster, std::string_view text);
/// Parses a value of --degrade: selector, factor, and optionally times as for --fail. Examples:
/// "node3/nic1:0.5", "core7:0.25@1ms". Throws InputError.
[[nodiscard]] TimedFault parse_degradation(const Cluster& cluster, std::string_view text);

}  // namespace railyard::topology
