#pragma once

#include <optional>
#include <vector>

#include "placement/cost/cost_context.hpp"
#include "placement/cost/group_runs.hpp"
#include "placement/mapping/mapping.hpp"

namespace railyard::placement {

/// A collective of a step, with its time inside the step and its time alone. A step uses nominal
/// link rates, times a fitted share of the rate that is left inside a step; `railyard sim` uses
/// the model that is fitted to collectives alone (docs/decisions/011).
struct CollectivePrice {
  GroupCollective collective{};
  int type = 0;                 ///< of GPU
  Time nominal{};               ///< by nominal link rates
  double share_in_step = 1;     ///< of the rate: TypeContext::share_in_step
  Time in_step{};               ///< nominal / share_in_step
  std::optional<Time> alone{};  ///< by the engine; nothing where it cannot run the collective
};

/// The different collectives of one step of a strategy, by type, role, kind and bytes. `engine`
/// times them alone, where `mapping` has the ranks: all groups of a role at the same time.
[[nodiscard]] std::vector<CollectivePrice> collective_prices(const CostContext& context,
                                                             const Strategy& strategy,
                                                             const Mapping& mapping,
                                                             const Engine& engine);

}  // namespace railyard::placement
