#pragma once

#include <span>
#include <string_view>

namespace railyard::collectives::nccl {

/// Names of the documented NCCL environment variables (NCCL 2.30 user guide, "Environment
/// Variables") that are not modelled.
[[nodiscard]] std::span<const std::string_view> unmodelled_nccl_variables();

}  // namespace railyard::collectives::nccl
