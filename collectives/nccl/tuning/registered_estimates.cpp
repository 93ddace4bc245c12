#include "collectives/nccl/tuning/registered_estimates.hpp"

#include <utility>

#include "collectives/nccl/tuning/copy_engine_model.hpp"
#include "collectives/nccl/tuning/symmetric_model.hpp"

namespace railyard::collectives::nccl {

std::vector<SymmetricEstimate> registered_estimates(const Communicator& communicator,
                                                    const TuningQuery& query, bool zero_ctas) {
  std::vector<SymmetricEstimate> estimates = symmetric_estimates(communicator, query);
  const std::size_t kernels = estimates.size();
  for (SymmetricEstimate& copies : copy_engine_estimates(communicator, query, zero_ctas))
    estimates.push_back(std::move(copies));
  bool copies = false;
  for (std::size_t i = kernels; i < estimates.size(); ++i) copies |= estimates[i].chosen;
  for (std::size_t i = 0; copies && i < kernels; ++i) estimates[i].chosen = false;
  return estimates;
}

std::optional<SymmetricEstimate> registered_choice(const Communicator& communicator,
                                                   const TuningQuery& query, bool zero_ctas) {
  for (SymmetricEstimate& one : registered_estimates(communicator, query, zero_ctas))
    if (one.chosen) return std::move(one);
  return std::nullopt;
}

std::optional<SymmetricEstimate> registered_estimate(const Communicator& communicator,
                                                     const TuningQuery& query,
                                                     std::string_view name) {
  constexpr bool kZeroCtas = true;  // marks copy engines as available; kernels are not affected
  for (SymmetricEstimate& one : registered_estimates(communicator, query, kZeroCtas))
    if (one.name == name && one.why_not.empty()) return std::move(one);
  return std::nullopt;
}

}  // namespace railyard::collectives::nccl
