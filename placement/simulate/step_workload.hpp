#pragma once

#include <optional>
#include <vector>

#include "collectives/workload/workload.hpp"
#include "placement/cost/step.hpp"

namespace railyard::placement {

/// The whole step of a strategy as a workload of its job ranks (strategy_grid): a role for each
/// stage of each class of replicas, a family for each kind of group. In the order of Megatron-LM:
///
///   compute     the passes of rank_order, cut into as many pieces as they have collectives; a
///               collective that the cost model hides runs beside its window of the pass
///   tp, cp, ep  one stream each; the pass goes on behind them
///   to/from     messages between stages, a stream for each direction; they hold the next pass
///               where strategy.pp_overlap is off
///   replicas    weights and gradients by buckets (layers), as in run_step
///
/// Then, once every rank has its gradients (a barrier), the update. Computation is that of the cost
/// model, host-bound passes included; bytes and groups are those that it prices, and each
/// collective gets share_in_step of its rate. `micro_batches`: at most so many of the class with
/// most (0: all).
/// Roles are by class, then by stage.
[[nodiscard]] collectives::Workload step_workload(const CostContext& context,
                                                  const Strategy& strategy, int micro_batches = 0);

/// The role of each family of groups of such a workload; nothing for the family of all ranks.
[[nodiscard]] std::vector<std::optional<GroupRole>> roles_of_families(
    const collectives::Workload& workload);

}  // namespace railyard::placement
