#pragma once

#include "collectives/schedule/executor.hpp"
#include "sim/flow/flow_options.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::sim {

/// Runs schedules as fluid streams on a cluster: contention, hash collisions, several jobs, faults
/// (docs/models/flow.md). run() may be called by several threads at the same time.
///
/// A steady stage of a channel (ring, pipeline) is one stream. Over its transfers i with payload
/// b_i over all iterations, share s_i(l) of link l, and wire bytes f(l) per byte of payload on l:
///
///     bytes = max b_i,    w(l) = f(l) * sum_i s_i(l) * b_i / bytes,    sum over streams w(l)*r <=
///     C(l)
///
/// with max-min fair rates r, so that w(l) * bytes is exactly what the schedule sends over l. The
/// stage takes alpha + fill (sim/latency.hpp), then bytes / r; rates change when a stream starts or
/// ends, or a fault happens.
///
/// Example: a ring all_reduce of 2880 MB over 8 GPUs of 360 GB/s each. 2 * 7 = 14 iterations of
/// pieces of 360 MB make b_i = 5040 MB; each link is crossed once (w = 1); r = 360 GB/s; 14 ms. A
/// second such ring on the same links halves r for both.
class FlowNetwork final : public collectives::Executor {
 public:
  /// The cluster must outlive the network.
  FlowNetwork(const topology::Cluster& cluster, FlowOptions options = {});
  [[nodiscard]] std::string_view name() const override { return "flow"; }
  [[nodiscard]] collectives::Run run(std::span<const collectives::Task> tasks) override;

 private:
  const topology::Cluster& cluster_;
  FlowOptions options_;
};

}  // namespace railyard::sim
