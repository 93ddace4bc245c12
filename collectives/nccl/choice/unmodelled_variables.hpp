#pragma once

#include <span>
#include <string_view>

namespace railyard::collectives::nccl {

/// Names of NCCL's environment variables that are documented (NCCL 2.30 user guide, "Environment
/// Variables"), without those that are modelled.
[[nodiscard]] std::span<const std::string_view> unmodelled_nccl_variables();

}  // namespace railyard::collectives::nccl
