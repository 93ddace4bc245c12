#pragma once

#include <string_view>
#include <vector>

#include "collectives/nccl/tuning/symmetric_estimate.hpp"
#include "collectives/nccl/tuning/tuning_choice.hpp"

namespace railyard::collectives::nccl {

/// The symmetric kernels of NCCL 2.32 between NVLink domains: an all-gather and two reduce-scatters
/// in which GPUs send by GPU-initiated networking (GIN) over InfiniBand or RoCE NICs (NCCL
/// src/tuning/sym_model/gin.cc, commit 187d8f6). With L GPUs per domain, R domains, b bytes per
/// rank, N GB/s per NIC, W = 360 GB/s of NVLink (B200: 720) and k thread blocks, in us:
///
///     all-gather      14 ceil(b / 1 MiB) (R-1) + max(b L R / W, b (R-1) / N)
///     reduce-scatter  14 + b / E + min(b, k 128 KiB) (l / W + (R-1) / N)
///                     E = min(k s / m, W / l, N / (R-1))
///
/// 14 us is NCCL's latency of a ring hop between nodes with Simple. l and m count how many times
/// the data cross NVLink and the multiprocessors; s is the rate of one thread block. NCCL computes
/// the time of the all-gather in seconds and the others in us; here all are in us.
///
/// Example: two DGX H100, a reduce-scatter of 64 MiB by multicast: b = 4 MiB, l = 16, m = 3 and
/// s = 4.22 GB/s. 16 blocks reach E = 360 / 16 = 22.5 GB/s, and the time is
///
///     14 + 186.4 + 2 MiB (16/360 + 1/50) ns/B = 335.6 us
[[nodiscard]] std::vector<SymmetricEstimate> gin_estimates(const Communicator& communicator,
                                                           const TuningQuery& query);
[[nodiscard]] bool is_gin_kernel(std::string_view name);

}  // namespace railyard::collectives::nccl
