#pragma once

#include <string_view>
#include <vector>

#include "placement/cost/layer_cost.hpp"
#include "placement/simulate/executed_collectives.hpp"

namespace railyard::placement {

/// Factor by which concurrent traffic lengthens the collectives of a dimension.
struct Slowdown {
  std::string_view dimension;  ///< "tp", "cp", "ep", "pp", "dp", "expert dp"
  double factor = 1;
};

/// Communication of a stage per micro-batch. All collectives of a dimension are merged into one
/// with the same bytes on the wire.
struct PassLoads {
  std::vector<GroupCollective> blocking{};  ///< tp, cp, ep: a rank performs them one after another
  std::vector<GroupCollective> hops{};      ///< pp, concurrent with the other stages' traffic
  std::vector<GroupCollective> replicas{};  ///< dp, expert dp: the part of the gradients that
                                            ///< overlaps with one pass, one after another
  double with_replicas = 0;                 ///< fraction of the passes with which gradients
                                            ///< overlap
};
[[nodiscard]] PassLoads pass_loads(const TypeContext& context, const Strategy& strategy,
                                   const GroupShapes& shapes, int micro_batches);

/// The passes during which collectives are concurrent.
struct MeetingPasses {
  int micro_batches = 1;  ///< per replica and step
  Time pass{};            ///< forward and backward of one micro-batch on the slowest stage
};

/// ExecutedCollectives with contention between dimensions. One pass is simulated with all groups of
/// all concurrent dimensions starting together: messages between stages beside the collectives of
/// layers, and gradients beside both if they overlap. The additional time of a dimension is
/// weighted by the overlap probability, longest collective / pass time (docs/models/step.md).
/// Dimensions that use different kinds of links are not simulated together.
class ContendedCollectives final : public CommunicationModel {
 public:
  /// Simulates the passes of the strategy that `alone` was built for. `alone` must outlive it;
  /// `context` gives job and GPU.
  ContendedCollectives(const ExecutedCollectives& alone, const TypeContext& context,
                       const Strategy& strategy, const GroupShapes& shapes,
                       const MeetingPasses& passes);

  [[nodiscard]] Time time(const GroupCollective& collective) const override;
  /// Dimensions that concurrent traffic slows by more than 1 %.
  [[nodiscard]] std::vector<Slowdown> slowdowns() const;

 private:
  struct Factor {
    GroupRole role;
    double factor = 1;
  };
  using Loads = std::vector<GroupCollective>;
  /// Simulates the collectives `all` together, and adds weight · additional time to the factors of
  /// `counted`.
  void run(const Loads& all, const Loads& counted, Time pass, double weight);
  void run_pass(const PassLoads& pass_loads, bool with_replicas, Time pass, double weight);
  [[nodiscard]] double& factor_of(GroupRole role);

  const ExecutedCollectives& alone_;
  std::vector<Factor> factors_;
};

}  // namespace railyard::placement
