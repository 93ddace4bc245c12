#pragma once

#include <span>
#include <vector>

#include "apps/output/rows.hpp"
#include "apps/plan/train/train_cases.hpp"
#include "placement/capacity/training/grey_failures.hpp"
#include "placement/capacity/training/shrinking.hpp"

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
/// Waiting for repairs against going on with fewer GPUs, by spare nodes.
[[nodiscard]] RowTable tabulate_recovery(const placement::Shrinking& shrinking);
/// What slow components cost until they are found.
[[nodiscard]] RowTable tabulate_grey(std::span<const placement::GreyFailure> grey);
/// Power by phase and part.
[[nodiscard]] RowTable tabulate_power(const placement::TrainingOption& option);
/// The assumptions of all options; those of bought GPUs only where some are.
[[nodiscard]] RowTable tabulate_assumptions(const placement::Assumptions& assumed, bool buys);

}  // namespace railyard::apps
