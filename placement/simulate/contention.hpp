#pragma once

#include <string_view>
#include <vector>

#include "placement/cost/layer_cost.hpp"
#include "placement/simulate/executed_collectives.hpp"

namespace railyard::placement {

/// How much longer the collectives of a dimension take because others are under way.
struct Slowdown {
  std::string_view dimension;  ///< "tp", "cp", "ep", "pp", "dp", "expert dp"
  double factor = 1;
};

/// What a stage communicates during the passes of one micro-batch, by dimension: its collectives
/// merged into one of the same bytes on the wire.
struct PassLoads {
  struct Load {
    std::string_view dimension;
    DimensionLoad load;
  };
  std::vector<Load> blocking{};  ///< tp, cp, ep: a rank does one after the other
  std::vector<Load> hops{};      ///< pp, beside whatever other stages do
  std::vector<Load> replicas{};  ///< what of the gradients falls on a pass they run beside: dp and
                                 ///< expert dp, one after the other
  double with_replicas = 0;      ///< share of the passes that gradients run beside
};
[[nodiscard]] PassLoads pass_loads(const CostContext& context, const Strategy& strategy,
                                   const GroupShapes& shapes);

/// ExecutedCollectives, and what their dimensions cost each other. A pass is run with all groups of
/// all dimensions that are under way in it starting together: sends between stages beside the
/// collectives of layers, gradients beside both where they overlap. What a dimension then takes
/// longer than by itself counts for the share of the pass for which the longest lasts: so likely
/// they meet (docs/models/step.md). Dimensions that use other kinds of links are left out.
class ContendedCollectives final : public CommunicationModel {
 public:
  /// `alone` must outlive it, and be placed before place() is called.
  explicit ContendedCollectives(ExecutedCollectives& alone) : alone_(alone) {}

  /// Runs the passes of a strategy. `context` asks `alone`; `pass` is what forward and backward of
  /// a micro-batch take on the slowest stage.
  void place(const CostContext& context, const Strategy& strategy, const GroupShapes& shapes,
             Time pass);

  [[nodiscard]] Time time(collectives::Kind kind, const GroupShape& shape, double bytes) override;
  /// Dimensions that something slows by more than 1 %.
  [[nodiscard]] std::vector<Slowdown> slowdowns() const;

 private:
  struct Factor {
    std::string_view dimension;
    GroupShape shape;
    bool is_hop = false;
    double factor = 1;
  };
  using Loads = std::vector<PassLoads::Load>;
  /// Adds weight x extra to the factors of `counted`, which are run with the others of `all`.
  void run(const Loads& all, const Loads& counted, Time pass, double weight);
  void run_pass(const PassLoads& pass_loads, bool with_replicas, Time pass, double weight);
  [[nodiscard]] Factor& factor_of(const PassLoads::Load& part);

  ExecutedCollectives& alone_;
  std::vector<Factor> factors_;
};

}  // namespace railyard::placement
