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

/// Blocks that stand in for each other: each on a node of its own, all of one kind, on the same
/// GPUs in the same order. Nothing where they do not.
struct AlikeBlocks {
  std::size_t block = 1;             ///< ranks of a unit
  std::vector<std::uint32_t> nodes;  ///< of each block
  std::vector<Rank> example;         ///< GPUs of as many blocks as the job needs
  bool is_flat = false;              ///< all NICs of each node below one leaf
};
/// Which ranks share a node, and on which of its GPUs each sits: all of a mapping but where the
/// units are. What it costs below the leaves is the same wherever that is.
struct Composition {
  UnitTraffic traffic;
  std::vector<PhaseFloor> floors;  ///< by phase
  const AlikeBlocks* blocks;       ///< that it is over
};

[[nodiscard]] std::optional<AlikeBlocks> alike_blocks(const Tiers& tiers, const NodeBlocks& blocks,
                                                      std::size_t ranks,
                                                      std::span<const double> seconds_per_byte);

/// The compositions of layouts over alike blocks. Layouts that fill a node in the same way have the
/// same one and differ in the order of the units alone, so that few are ever found out.
class Compositions {
 public:
  /// Everything must outlive it.
  Compositions(const Tiers& tiers, const RankGrid& grid, std::span<const TrafficPhase> phases,
               const EvaluateOptions& options, const AlikeBlocks& blocks);

  /// A layout over places: the unit at each.
  struct Placed {
    const Composition* parts = nullptr;  ///< none: its floors are above the limit
    std::vector<std::uint32_t> units;
  };
  [[nodiscard]] Placed of(const Layout& layout, double limit);

 private:
  struct Entry {
    std::vector<PhaseFloor> floors;  ///< none: not found yet, or above all limits so far
    double least = 0;                ///< they add up to that, or to more than that
    std::unique_ptr<const Composition> parts;
  };
  [[nodiscard]] bool is_aligned(const Layout& layout) const;

  const Tiers& tiers_;
  const RankGrid& grid_;
  std::span<const TrafficPhase> phases_;
  bool pxn_;
  const AlikeBlocks& blocks_;
  Evaluator evaluator_;
  std::map<std::vector<JobRank>, Entry> known_;  ///< by the ranks of the first block
};

}  // namespace railyard::placement
