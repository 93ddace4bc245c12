#pragma once

#include <vector>

#include "topology/cluster/cluster.hpp"
#include "topology/cluster/faults.hpp"

namespace railyard::topology {

/// Which links of a cluster have not failed. Allocates no memory if no link has failed.
class LiveLinks {
 public:
  LiveLinks(const Cluster& cluster, const Faults& faults) {
    if (!faults.failed.empty()) failed_.assign(cluster.link_count(), false);
    for (const LinkId link : faults.failed) failed_[link.index()] = true;
  }
  [[nodiscard]] bool is_live(LinkId link) const {
    return failed_.empty() || !failed_[link.index()];
  }
  [[nodiscard]] bool all_live() const { return failed_.empty(); }

 private:
  std::vector<bool> failed_;
};

}  // namespace railyard::topology
