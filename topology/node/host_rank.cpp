#include "topology/node/host_rank.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace railyard::topology {
namespace {

void scale(std::vector<PcieSpec>& functions, double factor) {
  for (PcieSpec& function : functions) {
    if (function.kind == PcieKind::gpu && function.bandwidth) {
      const auto bits = static_cast<double>(function.bandwidth->bits_per_second()) / 1e9 * factor;
      function.bandwidth =
          Bandwidth::bits_per_second(std::max<std::int64_t>(std::llround(bits * 1e9), 1));
    }
    scale(function.children, factor);
  }
}

std::optional<Bandwidth> first_rank(const std::vector<PcieSpec>& functions) {
  for (const PcieSpec& function : functions) {
    if (function.kind == PcieKind::gpu) return function.bandwidth;
    if (const auto below = first_rank(function.children)) return below;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Bandwidth> rank_bandwidth(const NodeSpec& node) {
  for (const CpuSpec& cpu : node.cpus)
    if (const auto found = first_rank(cpu.pcie)) return found;
  return std::nullopt;
}

void scale_rank_bandwidth(NodeSpec& node, double factor) {
  for (CpuSpec& cpu : node.cpus) scale(cpu.pcie, factor);
}

}  // namespace railyard::topology
