#pragma once

#include <vector>

#include "collectives/nccl/tuning/symmetric_model.hpp"

namespace railyard::collectives::nccl {

/// The copy-engine all-gather of NCCL 2.32 (src/tuning/ce_model.cc): unicast copies each part to
/// each peer, multicast copies it once through the NVSwitches. It uses no SM. NCCL runs the faster
/// of the two for registered buffers with the CTA policy ZERO (`zero_ctas`), without a comparison
/// with kernels. Empty for other collectives. Out of place, not captured in a CUDA graph:
///
///     unicast:   floor + max((n-1) b / W, b / D)     [us], with b bytes of a rank
///     multicast: floor + n b / min(W, n D)
///
/// W is the NVLink bandwidth (392 GB/s, B200 779). D is the bandwidth of copies through the host's
/// PCIe (106 GB/s; unlimited on ARM hosts), for CUDA drivers before 13.4. floor is linear in n.
///
/// Example: 8 H100, 64 MiB: unicast 17.5 + 8 * 1.957 + 7 * 8 MiB / 392 GB/s = 183 us.
[[nodiscard]] std::vector<SymmetricEstimate> copy_engine_estimates(const Communicator& communicator,
                                                                   const TuningQuery& query,
                                                                   bool zero_ctas);

}  // namespace railyard::collectives::nccl
