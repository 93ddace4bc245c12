#pragma once

#include <string_view>
#include <vector>

#include "placement/cost/layer_cost.hpp"
#include "placement/simulate/executed_collectives.hpp"

namespace railyard::placement {

/// How much longer the collectives of a dimension take because of concurrent ones.
struct Slowdown {
  std::string_view dimension;  ///< "tp", "cp", "ep", "pp", "dp", "expert dp"
  double factor = 1;
};

/// What a stage communicates during the passes of one micro-batch, by dimension: its collectives
/// merged into one of the same bytes on the wire.
struct PassLoads {
  std::vector<GroupCollective> blocking{};  ///< tp, cp, ep: a rank does one after the other
  std::vector<GroupCollective> hops{};      ///< pp, beside whatever other stages do
  std::vector<GroupCollective> replicas{};  ///< the part of the gradients in one pass that they
                                            ///< overlap: dp and expert dp, one after the other
  double with_replicas = 0;                 ///< share of the passes that gradients run beside
};
[[nodiscard]] PassLoads pass_loads(const TypeContext& context, const Strategy& strategy,
                                   const GroupShapes& shapes, int micro_batches);

/// The passes in which collectives meet.
struct MeetingPasses {
  int micro_batches = 1;  ///< of a replica in a step
  Time pass{};            ///< forward and backward of one on the slowest stage
};

/// ExecutedCollectives with contention between dimensions. One pass is run with all concurrent
/// groups of all dimensions starting together: sends between stages beside the collectives of
/// layers, gradients beside both where they overlap. What a dimension then takes longer than by
/// itself is weighted by the overlap probability: longest collective / pass time
/// (docs/models/step.md). Dimensions that use other kinds of links are left out.
class ContendedCollectives final : public CommunicationModel {
 public:
  /// Runs the passes of the strategy that `alone` has placed; `alone` must outlive it. `context`
  /// gives the job and the GPU.
  ContendedCollectives(const ExecutedCollectives& alone, const TypeContext& context,
                       const Strategy& strategy, const GroupShapes& shapes,
                       const MeetingPasses& passes);

  [[nodiscard]] Time time(const GroupCollective& collective) const override;
  /// Dimensions that something slows by more than 1 %.
  [[nodiscard]] std::vector<Slowdown> slowdowns() const;

 private:
  struct Factor {
    GroupRole role;
    double factor = 1;
  };
  using Loads = std::vector<GroupCollective>;
  /// Adds weight x extra to the factors of `counted`, which are run with the others of `all`.
  void run(const Loads& all, const Loads& counted, Time pass, double weight);
  void run_pass(const PassLoads& pass_loads, bool with_replicas, Time pass, double weight);
  [[nodiscard]] double& factor_of(GroupRole role);

  const ExecutedCollectives& alone_;
  std::vector<Factor> factors_;
};

}  // namespace railyard::placement
