#include "placement/mapping/composition.hpp"

#include <algorithm>

namespace railyard::placement {

std::optional<AlikeBlocks> alike_blocks(const Tiers& tiers, const NodeBlocks& blocks,
                                        std::size_t ranks,
                                        std::span<const double> seconds_per_byte) {
  if (blocks.block == 0 || ranks % blocks.block != 0 || blocks.gpus.size() < ranks)
    return std::nullopt;
  AlikeBlocks alike{.block = blocks.block, .nodes = {}, .example = {}};
  std::vector<bool> seen(tiers.cluster().node_count(), false);
  for (std::size_t b = 0; b < blocks.count(); ++b) {
    const std::uint32_t node = tiers.gpu_position(blocks[b].front()).node;
    const bool is_same = std::ranges::equal(blocks[b], blocks[0], [&](Rank gpu, Rank other) {
      const Tiers::GpuPosition &x = tiers.gpu_position(gpu), &y = tiers.gpu_position(other);
      return x.node == node && x.gpu == y.gpu && x.nic != Tiers::kNone;
    });
    if (!is_same || seen[node]) return std::nullopt;
    seen[node] = true;
    alike.nodes.push_back(node);
  }
  const NodeKinds kinds(tiers, alike.nodes, seconds_per_byte);
  if (kinds.count() != 1) return std::nullopt;
  alike.is_flat = kinds.is_flat();
  alike.example.assign(blocks.gpus.begin(),
                       blocks.gpus.begin() + static_cast<std::ptrdiff_t>(ranks));
  return alike;
}

Compositions::Compositions(const Tiers& tiers, const RankGrid& grid,
                           std::span<const TrafficPhase> phases, const EvaluateOptions& options,
                           const AlikeBlocks& blocks)
    : tiers_(tiers),
      grid_(grid),
      phases_(phases),
      pxn_(options.pxn),
      blocks_(blocks),
      evaluator_(tiers, phases, options) {}

// Whether a block holds the ranks that differ only in the first dimensions (or in a part of the
// last of them). The first block then determines the set of all others; only their order is open.
bool Compositions::is_aligned(const Layout& layout) const {
  auto left = static_cast<int>(blocks_.block);
  for (const GridDimension& d : layout) {
    if (left % d.size != 0) return d.size % left == 0;
    left /= d.size;
    if (left == 1) return true;
  }
  return left == 1;
}

Compositions::Placed Compositions::of(const Layout& layout, double limit) {
  const std::vector<JobRank> order = grid_.ranks_in(layout);
  const auto first = order.begin() +
                     static_cast<std::ptrdiff_t>(is_aligned(layout) ? blocks_.block : order.size());
  Entry& entry = known_[std::vector<JobRank>(order.begin(), first)];
  const double most = limit * (1 + 1e-8);
  if (entry.least > most) return {};
  if (!entry.parts) {
    const Mapping mapping = map_in_order(order, blocks_.example);
    if (entry.floors.empty()) {
      // A later search may have a higher limit, so floors are computed up to kRoom times this one.
      constexpr double kRoom = 4;
      entry.floors = evaluator_.floors(mapping, kRoom * most);
      if (entry.floors.empty()) entry.least = kRoom * most;
      for (std::size_t p = 0; p < entry.floors.size(); ++p)
        entry.least += phases_[p].count * entry.floors[p].seconds();
      if (entry.least > most) return {};
    }
    entry.parts = std::make_unique<const Composition>(Composition{
        UnitTraffic(tiers_, phases_, mapping, pxn_, blocks_.is_flat), entry.floors, &blocks_});
  }
  Placed placed{entry.parts.get(), {}};
  placed.units.reserve(order.size() / blocks_.block);
  for (std::size_t at = 0; at < order.size(); at += blocks_.block)
    placed.units.push_back(entry.parts->traffic.unit_of(order[at].value()));
  return placed;
}

}  // namespace railyard::placement
