#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "placement/mapping/composition.hpp"
#include "placement/mapping/mapping_request.hpp"
#include "placement/mapping/node_blocks.hpp"
#include "placement/mapping/unit_loads.hpp"

namespace railyard::placement {

/// A scored mapping; over interchangeable blocks with its composition and the node of each unit.
struct Candidate {
  MappingChoice choice;
  const Composition* parts = nullptr;
  std::vector<std::uint32_t> nodes;  ///< by unit
};

/// The places for the ranks of a job: the free GPUs of each type, cut into blocks, and orders of
/// the blocks. Everything that does not depend on how uplinks are chosen is computed once for all
/// searches.
class MappingSpace {
 public:
  /// An order of the blocks of each type.
  using BlockOrder = std::vector<std::vector<std::uint32_t>>;
  struct Cut {
    std::vector<NodeBlocks> blocks;  ///< by type
    std::vector<BlockOrder> orders;
    std::optional<AlikeBlocks> alike;            ///< if there is one type
    std::unique_ptr<Compositions> compositions;  ///< if blocks are interchangeable
  };

  /// Everything that the request refers to must outlive it. Throws InputError if a type has fewer
  /// free GPUs than ranks.
  MappingSpace(const Tiers& tiers, const MappingRequest& request);

  [[nodiscard]] const std::vector<Cut>& cuts() const { return cuts_; }
  /// The free GPUs of all types.
  [[nodiscard]] std::span<const Rank> free() const { return free_; }
  /// Kinds of the nodes of these GPUs.
  [[nodiscard]] const NodeKinds& kinds() const { return kinds_; }
  /// The nodes of a list of GPUs that consists of whole blocks of a cut; otherwise nothing.
  [[nodiscard]] std::optional<std::vector<std::uint32_t>> nodes_of_blocks(
      const Cut& cut, std::span<const Rank> gpus) const;

 private:
  const Tiers& tiers_;
  std::vector<Rank> free_;  ///< of all types
  NodeKinds kinds_;
  std::vector<Cut> cuts_;
};

/// One search, with uplinks chosen as in request.evaluate (docs/models/mapping.md).
class MappingSearch {
 public:
  /// All arguments must outlive it. It keeps the best `finalists` mappings.
  MappingSearch(const Tiers& tiers, const MappingRequest& request, const MappingSpace& space,
                std::size_t finalists = 1);

  /// The best mappings that the search scored, best first, each on different GPUs.
  [[nodiscard]] std::vector<Candidate> run();
  /// The best order of the axes over these GPUs. Requires as many of each type as ranks.
  [[nodiscard]] Candidate best_axis_order(const GpusByType& gpus);
  [[nodiscard]] std::size_t evaluated() const { return evaluated_; }
  /// Loads of a composition, without a placement.
  [[nodiscard]] UnitLoads& loads_of(const Composition& parts);

 private:
  /// The places of a layout: nodes of interchangeable blocks, or GPUs of each type.
  struct Places {
    Compositions* compositions = nullptr;
    std::vector<std::uint32_t> nodes;
    std::vector<std::vector<Rank>> gpus;
  };
  struct Scored {
    Layout layout;
    MappingScore score;
  };

  [[nodiscard]] double finalist_limit() const;
  [[nodiscard]] Places places(const MappingSpace::Cut& cut,
                              const MappingSpace::BlockOrder& order) const;
  [[nodiscard]] Places places(const GpusByType& gpus) const;
  MappingScore try_layout(const Layout& layout, const Places& places, double also = 0,
                          std::string name = {});
  void note(Candidate candidate);
  void add_given_order();
  static void keep(std::vector<Scored>& list, const Layout& layout, const MappingScore& score);
  [[nodiscard]] static double list_limit(const std::vector<Scored>& list);
  void search_blocks(const MappingSpace::Cut& cut);
  void split_axes(std::vector<Scored>& best, const Places& places);
  void exchange_places();

  const Tiers& tiers_;
  const MappingRequest& request_;
  const MappingSpace& space_;
  std::size_t most_finalists_;
  std::optional<Evaluator> evaluator_;  ///< for blocks that are not interchangeable
  std::map<const Composition*, std::unique_ptr<UnitLoads>> loads_;
  std::vector<std::uint32_t> unit_nodes_;
  std::vector<Candidate> finalists_;  ///< best first
  std::size_t evaluated_ = 0;
};

}  // namespace railyard::placement
