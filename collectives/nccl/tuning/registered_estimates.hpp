#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "collectives/nccl/tuning/symmetric_estimate.hpp"
#include "collectives/nccl/tuning/tuning_choice.hpp"

/// All that NCCL 2.32 can run on buffers that every rank registered as symmetric windows.
namespace railyard::collectives::nccl {

/// Symmetric kernels (symmetric_model.hpp), then copy engines (copy_engine_model.hpp); at most one
/// is chosen. `zero_ctas`: the CTA policy ZERO (NCCL_CTA_POLICY=2), with which copy engines run
/// wherever they can, even where a kernel would be faster; without it they do not run.
[[nodiscard]] std::vector<SymmetricEstimate> registered_estimates(const Communicator& communicator,
                                                                  const TuningQuery& query,
                                                                  bool zero_ctas);
/// What NCCL runs; nothing where none is available.
[[nodiscard]] std::optional<SymmetricEstimate> registered_choice(const Communicator& communicator,
                                                                 const TuningQuery& query,
                                                                 bool zero_ctas);
/// The estimate of that name where it is available; nothing for names of algorithms.
[[nodiscard]] std::optional<SymmetricEstimate> registered_estimate(const Communicator& communicator,
                                                                   const TuningQuery& query,
                                                                   std::string_view name);

}  // namespace railyard::collectives::nccl
