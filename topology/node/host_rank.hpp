#pragma once

#include <optional>
#include <string_view>

#include "core/units.hpp"
#include "topology/node/node_spec.hpp"

namespace railyard::topology {

/// The GPU type of nodes without GPUs: their ranks are processes or threads on the host's cores.
inline constexpr std::string_view kHostRank = "CPU rank";

[[nodiscard]] inline bool is_host_rank(const GpuSpec& gpu) { return gpu.name == kHostRank; }

/// Bandwidth of the first rank to its CPU; nothing where the file leaves it to the PCIe speed.
[[nodiscard]] std::optional<Bandwidth> rank_bandwidth(const NodeSpec& node);

/// Gives every rank `factor` times the bandwidth that it has to its CPU.
void scale_rank_bandwidth(NodeSpec& node, double factor);

}  // namespace railyard::topology
