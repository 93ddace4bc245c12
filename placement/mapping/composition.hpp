#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "placement/mapping/layouts.hpp"
#include "placement/mapping/node_blocks.hpp"
#include "placement/mapping/node_kinds.hpp"
#include "placement/mapping/unit_traffic.hpp"

namespace railyard::placement {

/// Interchangeable blocks: each is alone on its node, all nodes are of one kind, and all blocks use
/// the same GPUs of a node in the same order.
struct AlikeBlocks {
  std::size_t block = 1;             ///< ranks of a unit
  std::vector<std::uint32_t> nodes;  ///< node of each block
  std::vector<Rank> example;         ///< GPUs of the first blocks, as many as the job needs
  bool is_flat = false;              ///< all NICs of each node connect to one leaf
};
/// Which ranks share a node, and the GPU of each rank within its node: everything in a mapping
/// except the nodes of the units. The load below the leaves depends on nothing else.
struct Composition {
  UnitTraffic traffic;
  std::vector<PhaseFloor> floors;  ///< by phase
  const AlikeBlocks* blocks;       ///< the blocks to which it applies
};

/// Empty if the blocks are not interchangeable. `ranks`: ranks of the job. `seconds_per_byte`: by
/// trunk.
[[nodiscard]] std::optional<AlikeBlocks> alike_blocks(const Tiers& tiers, const NodeBlocks& blocks,
                                                      std::size_t ranks,
                                                      std::span<const double> seconds_per_byte);

/// The compositions of layouts over interchangeable blocks. Layouts that fill a node in the same
/// way share a composition and differ only in the order of the units, so few compositions are
/// computed.
class Compositions {
 public:
  /// All arguments must outlive it.
  Compositions(const Tiers& tiers, const RankGrid& grid, std::span<const TrafficPhase> phases,
               const EvaluateOptions& options, const AlikeBlocks& blocks);

  /// A layout over blocks: its composition, and the unit on each block.
  struct Placed {
    const Composition* parts = nullptr;  ///< null: its floors exceed the limit
    std::vector<std::uint32_t> units;
  };
  [[nodiscard]] Placed of(const Layout& layout, double limit);

 private:
  struct Entry {
    std::vector<PhaseFloor> floors;  ///< empty: not computed yet, or above all limits so far
    double least = 0;                ///< lower bound of their sum
    std::unique_ptr<const Composition> parts;
  };
  [[nodiscard]] bool is_aligned(const Layout& layout) const;

  const Tiers& tiers_;
  const RankGrid& grid_;
  std::span<const TrafficPhase> phases_;
  bool pxn_;
  const AlikeBlocks& blocks_;
  Evaluator evaluator_;
  std::map<std::vector<JobRank>, Entry> known_;  ///< key: the ranks of the first block
};

}  // namespace railyard::placement
