#pragma once

#include <optional>
#include <vector>

#include "collectives/workload/workload.hpp"
#include "placement/cost/step.hpp"

namespace railyard::placement {

/// The whole step of a strategy as a workload of its job ranks (strategy_grid): a role for each
/// stage of each class of replicas (by class, then by stage), and a family for each kind of group.
/// Operations have the order of Megatron-LM. Streams of a rank:
///
///   compute     the passes of rank_order. A pass has a piece of computation between its
///               collectives; a collective that the cost model overlaps runs beside such a piece
///   tp, cp, ep  the collectives of each; the pass continues after them
///   to/from     messages between stages, one stream per direction. Without strategy.pp_overlap the
///               next pass waits for them
///   replicas    weights and gradients by buckets (layers), as in run_step
///
/// When all ranks have their gradients (a barrier), the update follows. Computations take the time
/// of the cost model, including passes that wait for the host's launches. Bytes and groups are also
/// those of the cost model. Each collective gets the fraction share_in_step of its rate.
/// `micro_batches`: maximum number for the class with the most; 0: all.
[[nodiscard]] collectives::Workload step_workload(const CostContext& context,
                                                  const Strategy& strategy, int micro_batches = 0);

/// The group role of each family of such a workload; nothing for the family of all ranks.
[[nodiscard]] std::vector<std::optional<GroupRole>> roles_of_families(
    const collectives::Workload& workload);

}  // namespace railyard::placement
