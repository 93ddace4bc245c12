#pragma once

#include <optional>
#include <string_view>

#include "collectives/nccl/graph/graph.hpp"

namespace railyard::collectives::nccl {

using topology::to_text;

/// "RING", "BALANCED_TREE", "NVLS".
[[nodiscard]] std::string_view to_text(GraphPattern pattern);
/// "Intel", "AMD".
[[nodiscard]] std::string_view to_text(CpuVendor vendor);

/// Parses a value of NCCL_P2P_LEVEL or NCCL_NET_GDR_LEVEL: a name up to SYS, or a legacy number (0
/// to 5: LOC PIX PXB PHB SYS SYS; higher ones count as 5). Nothing for other texts.
[[nodiscard]] std::optional<PathType> parse_level(std::string_view text);

}  // namespace railyard::collectives::nccl
