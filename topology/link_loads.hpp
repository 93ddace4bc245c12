#pragma once

#include <vector>

#include "topology/cluster.hpp"
#include "topology/faults.hpp"

namespace railyard::topology {

/// What a router has put on each link so far, in connections per unit of bandwidth.
class LinkLoads {
 public:
  LinkLoads() = default;
  explicit LinkLoads(const Cluster& cluster)
      : cluster_(&cluster), carried_(cluster.link_count(), 0.0), factor_(cluster.link_count(), 1.0F) {}

  /// A degraded link counts with what is left of its bandwidth.
  void degrade(const Faults& faults) {
    for (const Degradation& d : faults.degraded) {
      factor_[d.link.index()] = static_cast<float>(d.factor);
    }
  }
  void add(LinkId link, double share) { carried_[link.index()] += share; }
  /// Load of a link if `share` of a connection came to it, per Gb/s.
  [[nodiscard]] double with(LinkId link, double share) const {
    const double rate = static_cast<double>(cluster_->link(link).bandwidth.bits_per_second()) / 1e9;
    return (carried_[link.index()] + share) / (rate * static_cast<double>(factor_[link.index()]));
  }

 private:
  const Cluster* cluster_ = nullptr;
  std::vector<double> carried_;
  std::vector<float> factor_;
};

}  // namespace railyard::topology
