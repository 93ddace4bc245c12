#pragma once

#include <optional>
#include <vector>

#include "placement/cost/cost_context.hpp"
#include "placement/cost/group_runs.hpp"
#include "placement/mapping/mapping.hpp"

namespace railyard::placement {

/// A collective of a step: its time during the step, and its time alone. The step model uses
/// nominal link rates and the fitted fraction of the rate that a collective reaches during a step.
/// `railyard sim` uses the model fitted to collectives alone (docs/decisions/011).
struct CollectivePrice {
  GroupCollective collective{};
  int type = 0;                 ///< index of the GPU type
  Time nominal{};               ///< time at nominal link rates
  double share_in_step = 1;     ///< fraction of the rate: TypeContext::share_in_step
  Time in_step{};               ///< nominal / share_in_step
  std::optional<Time> alone{};  ///< simulated alone; nothing if the engine cannot run the
                                ///< collective
};

/// The distinct collectives of one step of a strategy, by type, role, kind and bytes. `engine`
/// simulates each alone with the ranks of `mapping`: all groups of a role at the same time.
[[nodiscard]] std::vector<CollectivePrice> collective_prices(const CostContext& context,
                                                             const Strategy& strategy,
                                                             const Mapping& mapping,
                                                             const Engine& engine);

}  // namespace railyard::placement
