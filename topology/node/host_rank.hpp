#pragma once

#include <string_view>

#include "topology/node/node_spec.hpp"

namespace railyard::topology {

/// The GPU type of nodes without GPUs: their ranks are processes or threads on the host's cores.
inline constexpr std::string_view kHostRank = "CPU rank";

[[nodiscard]] inline bool is_host_rank(const GpuSpec& gpu) { return gpu.name == kHostRank; }

}  // namespace railyard::topology
