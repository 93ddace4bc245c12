#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "collectives/nccl/tuning/symmetric_estimate.hpp"
#include "collectives/nccl/tuning/tuning_choice.hpp"

/// NCCL 2.32's collectives on buffers that every rank has registered as symmetric windows.
namespace railyard::collectives::nccl {

/// All estimates: symmetric kernels (symmetric_model.hpp), then copy engines
/// (copy_engine_model.hpp). At most one is marked as chosen. `zero_ctas`: the CTA policy ZERO
/// (NCCL_CTA_POLICY=2). With it, supported copy-engine collectives run even if a kernel would be
/// faster; without it they never run.
[[nodiscard]] std::vector<SymmetricEstimate> registered_estimates(const Communicator& communicator,
                                                                  const TuningQuery& query,
                                                                  bool zero_ctas);
/// The estimate that NCCL chooses; nothing if none is available.
[[nodiscard]] std::optional<SymmetricEstimate> registered_choice(const Communicator& communicator,
                                                                 const TuningQuery& query,
                                                                 bool zero_ctas);
/// The estimate with this name, if available; nothing for names of algorithms.
[[nodiscard]] std::optional<SymmetricEstimate> registered_estimate(const Communicator& communicator,
                                                                   const TuningQuery& query,
                                                                   std::string_view name);

}  // namespace railyard::collectives::nccl
