#include "topology/node/host_rank.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace railyard::topology {
namespace {

/// Calls `change` with the function of each rank.
template <class Change>
void change_ranks(std::vector<PcieSpec>& functions, const Change& change) {
  for (PcieSpec& function : functions) {
    if (function.kind == PcieKind::gpu) change(function);
    change_ranks(function.children, change);
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
  const auto scale = [factor](PcieSpec& rank) {
    if (!rank.bandwidth) return;
    const auto bits = static_cast<double>(rank.bandwidth->bits_per_second()) / 1e9 * factor;
    rank.bandwidth =
        Bandwidth::bits_per_second(std::max<std::int64_t>(std::llround(bits * 1e9), 1));
  };
  for (CpuSpec& cpu : node.cpus) change_ranks(cpu.pcie, scale);
}

void set_rank_bandwidth(NodeSpec& node, Bandwidth bandwidth) {
  const auto set = [bandwidth](PcieSpec& rank) { rank.bandwidth = bandwidth; };
  for (CpuSpec& cpu : node.cpus) change_ranks(cpu.pcie, set);
}

}  // namespace railyard::topology
