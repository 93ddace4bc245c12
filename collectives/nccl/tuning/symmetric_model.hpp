#pragma once

#include <vector>

#include "collectives/nccl/tuning/symmetric_estimate.hpp"
#include "collectives/nccl/tuning/tuning_choice.hpp"

/// The kernels of NCCL 2.32 for buffers that all ranks registered as symmetric windows
/// (ncclCommWindowRegister), on GPUs of one NVLink domain. If any is available, NCCL runs the best
/// of them, regardless of its estimates for algorithms and protocols.
namespace railyard::collectives::nccl {

/// The estimates of all kernels for the query's collective, in NCCL's order; none for broadcast and
/// reduce (NCCL 2.32 src/tuning/sym_model, src/sym_kernels.cc; docs/models/nccl_tuning.md):
///
///     base model:  latency + softplus(bytes / softmin(blocks * rate, peak) - 1)      [us]
///     blocks:      the fewest (1, 2, 4, 6, ... 64) within 2.5 % of the time with the most
///
/// Example: an all-reduce of 64 MiB on 8 H100 by loads and stores (RSxLD_AGxST) moves 2 * 7/8 * 64
/// MiB at a peak of 320 GiB/s. This takes 7.8 + 341.8 - 1 us, with the number of blocks that
/// reaches this peak.
[[nodiscard]] std::vector<SymmetricEstimate> symmetric_estimates(const Communicator& communicator,
                                                                 const TuningQuery& query);

}  // namespace railyard::collectives::nccl
