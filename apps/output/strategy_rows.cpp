#include "apps/output/strategy_rows.hpp"

#include <algorithm>
#include <array>

#include "apps/output/row_values.hpp"
#include "placement/model/flops.hpp"
#include "placement/strategy/setting_texts.hpp"
#include "placement/strategy/strategy_fields.hpp"

namespace railyard::apps {
namespace {

using Row = StrategyRow;

std::int64_t whole(int value) { return value; }

constexpr std::array<Column<Row>, 31> kColumns{{
    {"tp", [](const Row& r) -> RowValue { return whole(r.scored.strategy.tp); }},
    {"pp", [](const Row& r) -> RowValue { return whole(r.scored.strategy.pp); }},
    {"dp", [](const Row& r) -> RowValue { return whole(r.scored.strategy.dp); }},
    {"cp", [](const Row& r) -> RowValue { return whole(r.scored.strategy.cp); }, kShared},
    {"ep", [](const Row& r) -> RowValue { return whole(r.scored.strategy.ep); }, kShared},
    {"zero", [](const Row& r) -> RowValue { return whole(r.scored.strategy.zero); }},
    {"micro_batch", [](const Row& r) -> RowValue { return whole(r.scored.strategy.micro_batch); }},
    {"interleave", [](const Row& r) -> RowValue { return whole(r.scored.strategy.interleave); }},
    {"recompute",
     [](const Row& r) -> RowValue {
       return std::string(core::enum_name(r.scored.strategy.recompute));
     }},
    {"sequence_parallel",
     [](const Row& r) -> RowValue { return r.scored.strategy.sequence_parallel; }},
    {"gpus", [](const Row& r) -> RowValue { return whole(r.scored.strategy.gpus()); }, kShared},
    {"iteration_s", [](const Row& r) -> RowValue { return r.scored.step.total.seconds(); },
     kThousandths},
    {"tokens_per_s", [](const Row& r) -> RowValue { return r.tokens_per_s; }, kWhole},
    {"tflops_per_gpu", [](const Row& r) -> RowValue { return r.tflops_per_gpu; }, kTenths},
    {"mfu", [](const Row& r) -> RowValue { return r.mfu; }, kThousandths},
    {"memory_GB", [](const Row& r) -> RowValue { return r.scored.memory.total().gigabytes(); },
     kTenths},
    {"fits", [](const Row& r) -> RowValue { return r.scored.fits; }, kShared},
    {"compute_s", [](const Row& r) -> RowValue { return r.scored.step.compute.seconds(); },
     kThousandths},
    {"tp_comm_s", [](const Row& r) -> RowValue { return r.scored.step.tp.seconds(); },
     kThousandths},
    {"pp_comm_s", [](const Row& r) -> RowValue { return r.scored.step.pp.seconds(); },
     kThousandths},
    {"dp_comm_s", [](const Row& r) -> RowValue { return r.scored.step.dp.seconds(); },
     kThousandths},
    {"ep_comm_s", [](const Row& r) -> RowValue { return r.scored.step.ep.seconds(); },
     kThousandths},
    {"cp_comm_s", [](const Row& r) -> RowValue { return r.scored.step.cp.seconds(); },
     kThousandths},
    {"bubble_s", [](const Row& r) -> RowValue { return r.scored.step.bubble.seconds(); },
     kThousandths},
    {"exposed_comm_s", [](const Row& r) -> RowValue { return r.scored.step.exposed().seconds(); },
     kThousandths},
    {"bound_by", [](const Row& r) -> RowValue { return r.bound_by; }},
    {"optimizer_s", [](const Row& r) -> RowValue { return r.scored.step.optimizer.seconds(); },
     kThousandths},
    {"offload_s", [](const Row& r) -> RowValue { return r.scored.step.offload.seconds(); },
     kThousandths},
    {"schedule",
     [](const Row& r) -> RowValue {
       return std::string(core::enum_name(r.scored.strategy.schedule));
     }},
    {"strategy", [](const Row& r) -> RowValue { return placement::to_text(r.scored.strategy); }},
    {"simulated_s", [](const Row& r) { return if_known(r.simulated_s); }, kThousandths},
}};

constexpr Column<Row> kOverlap{
    "overlap", [](const Row& r) -> RowValue { return placement::overlap_text(r.scored.strategy); }};
constexpr Column<Row> kOther{"other", [](const Row& r) -> RowValue {
                               return placement::other_settings_text(r.scored.strategy);
                             }};
constexpr Column<Row> kSequenceParallel{
    "sp", [](const Row& r) -> RowValue { return r.scored.strategy.sequence_parallel; }, kShared};

/// The columns printed to terminals, in this order, after the parallel dimensions.
constexpr std::array<std::string_view, 9> kSplit{
    "tp", "pp", "dp", "cp", "ep", "zero", "micro_batch", "interleave", "recompute"};
constexpr std::array<std::string_view, 9> kOutcome{"gpus",           "fits",     "iteration_s",
                                                   "simulated_s",    "mfu",      "memory_GB",
                                                   "exposed_comm_s", "bubble_s", "bound_by"};

constexpr std::array<Column<Row>, 8> kMemory{{
    {"strategy", [](const Row& r) -> RowValue { return placement::to_text(r.scored.strategy); }},
    {"weights_GB", [](const Row& r) -> RowValue { return r.scored.memory.weights.gigabytes(); },
     kTenths},
    {"gradients_GB", [](const Row& r) -> RowValue { return r.scored.memory.gradients.gigabytes(); },
     kTenths},
    {"optimizer_GB", [](const Row& r) -> RowValue { return r.scored.memory.optimizer.gigabytes(); },
     kTenths},
    {"activations_GB",
     [](const Row& r) -> RowValue { return r.scored.memory.activations.gigabytes(); }, kTenths},
    {"buffers_GB", [](const Row& r) -> RowValue { return r.scored.memory.buffers.gigabytes(); },
     kTenths},
    {"reserved_GB", [](const Row& r) -> RowValue { return r.scored.memory.reserved.gigabytes(); },
     kTenths},
    {"total_GB", [](const Row& r) -> RowValue { return r.scored.memory.total().gigabytes(); },
     kTenths},
}};

}  // namespace

StrategyRow strategy_row(const placement::CostContext& context,
                         const placement::ScoredStrategy& scored) {
  return {.scored = scored,
          .tokens_per_s = scored.tokens_per_s(context.job),
          .tflops_per_gpu = placement::flops_per_gpu(context.job, scored) / 1e12,
          .mfu = placement::mfu(context, scored),
          .bound_by = placement::bound_by(context, scored)};
}

RowTable tabulate_strategies(std::span<const StrategyRow> rows) { return tabulate(kColumns, rows); }

RowTable summarise_strategies(std::span<const StrategyRow> rows) {
  std::vector<Column<Row>> columns;
  const auto add = [&](std::span<const std::string_view> names) {
    for (const std::string_view name : names)
      columns.push_back(*std::ranges::find(kColumns, name, &Column<Row>::name));
  };
  add(kSplit);
  columns.push_back(kSequenceParallel);
  columns.push_back(kOverlap);
  columns.push_back(kOther);
  add(kOutcome);
  return tabulate(columns, rows);
}

RowTable tabulate_memory(std::span<const StrategyRow> rows) { return tabulate(kMemory, rows); }

}  // namespace railyard::apps
