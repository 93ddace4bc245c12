#pragma once

#include <span>
#include <vector>

#include "apps/output/rows.hpp"
#include "apps/plan/train/train_cases.hpp"

namespace railyard::apps {

/// A row per option: where, the columns of strategy rows, then days, energy_MWh, cost, goodput,
/// power_MW and what belongs to them.
[[nodiscard]] RowTable tabulate_options(std::span<const placement::TrainingOption> options);
/// The columns that fit a terminal.
[[nodiscard]] RowTable summarise_options(std::span<const placement::TrainingOption> options);

/// Scaling of each candidate, the job's batch (strong) and one in proportion to the GPUs (weak),
/// from its smallest number of GPUs; the wall where efficiency is below `least`.
[[nodiscard]] RowTable tabulate_scaling(const placement::Job& job,
                                        std::span<const TrainResult> results, double least);

/// Where the time of an option goes: training, checkpoints, and each cause of interruptions.
[[nodiscard]] RowTable tabulate_time(const placement::TrainingOption& option);
/// The causes that waste most, and the goodput with half of each.
[[nodiscard]] RowTable tabulate_wastes(std::span<const placement::WasteShare> wastes);
/// Power by phase and part.
[[nodiscard]] RowTable tabulate_power(const placement::TrainingOption& option);
/// What all options rest on.
[[nodiscard]] RowTable tabulate_assumptions(const placement::Assumptions& assumed);

}  // namespace railyard::apps
