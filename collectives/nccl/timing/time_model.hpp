#pragma once

#include "collectives/nccl/timing/exchange_time.hpp"
#include "collectives/nccl/timing/machine.hpp"
#include "collectives/nccl/timing/time_terms.hpp"
#include "core/units.hpp"
#include "topology/cluster/launch_cost.hpp"

/// The time that a collective with NCCL's choice of algorithm takes on a machine. (NCCL's own
/// tuning constants only rank algorithms and are not times.) docs/models/nccl_time.md has every
/// term and its source:
///
///     T = launch + steps + fill + bytes / bandwidth        [us]
///
/// For a ring all_reduce of S bytes over n ranks on N nodes, where R is the rate of a GPU's links
/// and W the rate of a node's NICs:
///     steps     = (2(n-1) - 2N) * step + 2N * fabric.step     (N = 1: 2(n-1) * step)
///     bandwidth = min(R, W) * e(protocol) * n / (2(n-1) + tail)
///
/// Example: 8 GPUs of one node, R = 350 GB/s, launch 10 us, step 1 us, tail 0, Simple, S = 1 GB: T
/// = 10 + 14 * 1 + 0 + 1e9 * 14/8 / 350e3 = 10 + 14 + 5000 = 5024 us.
namespace railyard::collectives::nccl {

/// The time of a collective that runs alone, without the overhead of a benchmark.
[[nodiscard]] TimeTerms collective_time(const Machine& machine, const TimeQuery& query);

/// The time of a single hop of an algorithm's step, inside a node and between nodes, for engines
/// that simulate every transfer.
struct HopTimes {
  Time inside, outside;
};
[[nodiscard]] HopTimes hop_times(const Machine& machine, const TimeQuery& query);

/// The time of a call in us if calls are launched one after another, as in benchmarks: the overhead
/// plus `gpu_us`, but at least the host's time if one thread drives the p GPUs of a node:
///
///     max(overhead + gpu_us, p (host_per_gpu + sends * host_per_send))
///
/// with 2n sends and receives of a rank in all_to_all, 2 in send_recv, 0 otherwise.
[[nodiscard]] double call_time(const topology::LaunchCost& launch, const Machine& machine,
                               const TimeQuery& query, double gpu_us);

}  // namespace railyard::collectives::nccl
