#pragma once

#include "placement/jobs/place_problem.hpp"

namespace railyard::placement {

/// The cluster with NICs, their PCIe links and the fabric's links `factor` times as fast.
[[nodiscard]] topology::ClusterSpec with_network_rate(topology::ClusterSpec spec, int factor);
/// The cluster with this oversubscription of its leaves; the number of spines follows.
[[nodiscard]] topology::ClusterSpec with_oversubscription(topology::ClusterSpec spec, double ratio);
/// The problem with NVLink between `gpus` GPUs of several nodes, which keep their NICs. Only the
/// formulas change: the cluster graph stays as it was, so collectives on it cannot be simulated.
[[nodiscard]] PlaceProblem with_nvlink_domain(PlaceProblem problem, int gpus);
/// The problem with `factor` times the memory per GPU.
[[nodiscard]] PlaceProblem with_memory(PlaceProblem problem, double factor);

}  // namespace railyard::placement
