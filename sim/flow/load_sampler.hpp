#pragma once

#include <string>
#include <vector>

#include "collectives/schedule/executor.hpp"
#include "sim/maxmin/fluid.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::sim {

/// Timeline tracks with this prefix are counters: `bytes` crossed all links of a tier between
/// `begin` and `end` ("load: leaf -> spine").
inline constexpr std::string_view kLoadTrack = "load: ";

/// Records the bytes of each tier between events, for traces.
class LoadSampler {
 public:
  LoadSampler(const topology::Cluster& cluster, bool enabled);
  /// Call it after time has advanced.
  void sample(const Fluid& fluid);
  void append_to(std::vector<collectives::TimelineEvent>& timeline);

 private:
  std::size_t samples_left_ = 0;
  std::vector<std::size_t> row_of_link_;
  struct Row {
    std::string tier;
    double carried = 0;
  };
  std::vector<Row> rows_;
  double last_ = 0;
  std::vector<collectives::TimelineEvent> events_;
};

}  // namespace railyard::sim
