#pragma once

#include <optional>
#include <string_view>

#include "core/units.hpp"
#include "topology/node/node_spec.hpp"

namespace railyard::topology {

/// The GPU type of nodes without GPUs. Their ranks are processes or threads on CPU cores.
inline constexpr std::string_view kHostRank = "CPU rank";

[[nodiscard]] inline bool is_host_rank(const GpuSpec& gpu) { return gpu.name == kHostRank; }

/// The bandwidth between the first rank and its CPU; nothing if the file gives only a PCIe speed.
[[nodiscard]] std::optional<Bandwidth> rank_bandwidth(const NodeSpec& node);

/// Multiplies the bandwidth between every rank and its CPU by `factor`.
void scale_rank_bandwidth(NodeSpec& node, double factor);
/// Sets the bandwidth between every rank and its CPU.
void set_rank_bandwidth(NodeSpec& node, Bandwidth bandwidth);

}  // namespace railyard::topology
