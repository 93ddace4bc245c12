#pragma once

#include <optional>
#include <span>
#include <string>

#include "apps/output/rows.hpp"
#include "placement/cost/scored_strategy.hpp"

namespace railyard::apps {

/// A strategy and its result values (DESIGN: strategy rows).
struct StrategyRow {
  placement::ScoredStrategy scored;
  double tokens_per_s = 0;
  double tflops_per_gpu = 0;
  double mfu = 0;
  std::string bound_by;
  std::optional<double> simulated_s{};  ///< step time with simulated collectives
};

/// The row of a strategy, without a simulated time.
[[nodiscard]] StrategyRow strategy_row(const placement::CostContext& context,
                                       const placement::ScoredStrategy& scored);

/// The columns tp to bound_by, then the other settings of the strategy.
[[nodiscard]] RowTable tabulate_strategies(std::span<const StrategyRow> rows);

/// The columns for terminals: parallel dimensions, times, memory and limit.
[[nodiscard]] RowTable summarise_strategies(std::span<const StrategyRow> rows);

/// The memory of the fullest GPU by content, one line per strategy.
[[nodiscard]] RowTable tabulate_memory(std::span<const StrategyRow> rows);

}  // namespace railyard::apps
