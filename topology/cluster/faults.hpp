#pragma once

#include <string_view>
#include <vector>

#include "core/id.hpp"
#include "core/units.hpp"

namespace railyard::topology {

class Cluster;

/// A link that carries only a part of its bandwidth.
struct Degradation {
  LinkId link;
  double factor = 1.0;  ///< of the nominal bandwidth, in (0, 1]
};

/// What is broken in a cluster.
struct Faults {
  std::vector<LinkId> failed;
  std::vector<Degradation> degraded;
};

/// A fault that begins at a given time, and may end.
struct TimedFault {
  Time at;
  Faults faults;
  Time until = Time::never();
  [[nodiscard]] bool ends() const { return until != Time::never(); }
};

/// Reads "A -- B" (both directions), "A -> B" (one), "A" (every link of the device), each with an
/// optional "#k" for one of the parallel cables, numbered from 0; the names are those of
/// Cluster::name. Throws InputError with near names.
[[nodiscard]] std::vector<LinkId> find_links(const Cluster& cluster, std::string_view selector);

/// Reads a value of --fail ("pod0/leaf1 -- pod0/spine2", "node3/nic1@2ms", "core7@1ms..3ms"): a
/// selector and the time at which it fails (0 when absent), with two times also that at which it
/// works again.
[[nodiscard]] TimedFault parse_failure(const Cluster& cluster, std::string_view text);
/// Reads a value of --degrade ("node3/nic1:0.5", "core7:0.25@1ms"): selector, factor, time.
[[nodiscard]] TimedFault parse_degradation(const Cluster& cluster, std::string_view text);

}  // namespace railyard::topology
