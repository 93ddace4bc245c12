#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hw/diagnose/diagnose.hpp"

namespace railyard::hw {

/// Predicted times of healthy tests between two nodes of a cluster (a file, or a name in
/// configs/clusters), by the fitted time model of NCCL. Empty for collectives that the model does
/// not cover.
[[nodiscard]] std::vector<std::optional<Time>> expected_times(const std::string& cluster,
                                                              std::span<const ExpectedTest> tests);

}  // namespace railyard::hw
