#pragma once

#include "collectives/nccl/timing/exchange_time.hpp"
#include "collectives/nccl/timing/machine.hpp"
#include "collectives/nccl/timing/time_terms.hpp"
#include "core/units.hpp"
#include "topology/cluster/launch_cost.hpp"

/// How long NCCL's choice takes on a machine. NCCL's tuning constants only rank algorithms; this is
/// the time that a measurement shows (docs/models/nccl_time.md has every term and its source):
///
///     T = launch + steps + fill + bytes / bandwidth        [us]
///
/// For a ring all_reduce of S bytes over n ranks on N nodes, R the rate of a GPU's links and W that
/// of a node's NICs:
///     steps     = (2(n-1) - 2N) * step + 2N * fabric.step     (N = 1: 2(n-1) * step)
///     bandwidth = min(R, W) * e(protocol) * n / (2(n-1) + tail)
///
/// Example: 8 GPUs of one node, R = 350 GB/s, launch 10 us, step 1 us, tail 0, Simple, S = 1 GB:
/// T = 10 + 14 * 1 + 0 + 1e9 * 14/8 / 350e3 = 10 + 14 + 5000 = 5024 us.
namespace railyard::collectives::nccl {

/// The time of a collective that runs alone, without the benchmark around it.
[[nodiscard]] TimeTerms collective_time(const Machine& machine, const TimeQuery& query);

/// How long a single hop takes of an algorithm's step, inside a node and between nodes: what
/// engines that follow every transfer need.
struct HopTimes {
  Time inside, outside;
};
[[nodiscard]] HopTimes hop_times(const Machine& machine, const TimeQuery& query);

/// How long a call lasts in us, one after another as benchmarks launch them: overhead and `gpu_us`,
/// but no less than the host's time where one thread drives the p GPUs of a node:
///
///     max(overhead + gpu_us, p (host_per_gpu + sends * host_per_send))
///
/// with 2n sends and receives of a rank in all_to_all, 2 in send_recv, 0 else.
[[nodiscard]] double call_time(const topology::LaunchCost& launch, const Machine& machine,
                               const TimeQuery& query, double gpu_us);

}  // namespace railyard::collectives::nccl
