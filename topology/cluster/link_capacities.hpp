#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "topology/cluster/cluster.hpp"
#include "topology/cluster/faults.hpp"

namespace railyard::topology {

/// The bandwidth of every link under the given faults, in whole bits per second, for flow
/// algorithms. Failed links have 0, degraded links their fraction.
class LinkCapacities {
 public:
  LinkCapacities(const Cluster& cluster, const Faults& faults) {
    left_.reserve(cluster.link_count());
    for (const Link& link : cluster.links()) left_.push_back(link.bandwidth.bits_per_second());
    for (const Degradation& d : faults.degraded) {
      std::int64_t& left = left_[d.link.index()];
      left = std::llround(static_cast<double>(left) * d.factor);
    }
    for (const LinkId link : faults.failed) left_[link.index()] = 0;
  }
  [[nodiscard]] std::int64_t of(LinkId link) const { return left_[link.index()]; }

 private:
  std::vector<std::int64_t> left_;
};

}  // namespace railyard::topology
