#pragma once

#include <vector>

#include "topology/cluster/cluster.hpp"
#include "topology/cluster/faults.hpp"

namespace railyard::topology {

/// The load that a router has put on each link so far: connections (or shares of connections) per
/// Gb/s of the link's bandwidth.
class LinkLoads {
 public:
  LinkLoads() = default;
  explicit LinkLoads(const Cluster& cluster) {
    links_.reserve(cluster.link_count());
    for (const Link& link : cluster.links()) {
      links_.push_back({0, 1e9 / static_cast<double>(link.bandwidth.bits_per_second())});
    }
  }

  /// Uses the remaining bandwidth of degraded links.
  void degrade(const Faults& faults) {
    for (const Degradation& d : faults.degraded) links_[d.link.index()].per_connection /= d.factor;
  }
  /// Sets all loads to 0.
  void clear() {
    for (Entry& entry : links_) entry.carried = 0;
  }
  void add(LinkId link, double share) { links_[link.index()].carried += share; }
  /// The load of a link with an additional connection of which it carries `share`.
  [[nodiscard]] double with(LinkId link, double share) const {
    const Entry& entry = links_[link.index()];
    return (entry.carried + share) * entry.per_connection;
  }

 private:
  struct Entry {
    double carried = 0;
    double per_connection = 0;  ///< per Gb/s
  };
  std::vector<Entry> links_;
};

}  // namespace railyard::topology
