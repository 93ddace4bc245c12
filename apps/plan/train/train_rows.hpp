#pragma once

#include <span>
#include <vector>

#include "apps/output/rows.hpp"
#include "placement/capacity/training/grey_failures.hpp"
#include "placement/capacity/training/improvements.hpp"
#include "placement/capacity/training/scaling_curve.hpp"
#include "placement/capacity/training/shrinking.hpp"

namespace railyard::apps {

/// A row per option: cluster and GPUs, the columns of strategy rows, then days, energy_MWh, cost,
/// goodput, power_MW and their details.
[[nodiscard]] RowTable tabulate_options(std::span<const placement::TrainingOption> options);
/// The columns that fit on a terminal.
[[nodiscard]] RowTable summarise_options(std::span<const placement::TrainingOption> options);

/// Strong and weak scaling of each candidate, with the walls.
[[nodiscard]] RowTable tabulate_scaling(std::span<const placement::ScalingPoint> points);

/// The time of an option by part: training, checkpoints, and each cause of interruptions.
[[nodiscard]] RowTable tabulate_time(const placement::TrainingOption& option);
/// The causes that waste most, and the goodput with half of the rate of each.
[[nodiscard]] RowTable tabulate_wastes(std::span<const placement::WasteShare> wastes);
/// Waiting for repairs against continuing on fewer GPUs, by number of spare nodes.
[[nodiscard]] RowTable tabulate_recovery(const placement::Shrinking& shrinking);
/// The effect of slow components on a step, and their cost to a run of the option until they are
/// found. `processes`: those of its run.
[[nodiscard]] RowTable tabulate_grey(const placement::TrainingOption& option,
                                     std::span<const placement::GreyProcess> processes);
/// The changes that would improve an option, and by how much.
[[nodiscard]] RowTable tabulate_changes(std::span<const placement::Change> changes);
/// Rent, and the cost of bought GPUs, by part; empty without a price.
[[nodiscard]] RowTable tabulate_cost(const placement::TrainingOption& option);
/// Power by phase and part.
[[nodiscard]] RowTable tabulate_power(const placement::TrainingOption& option);

}  // namespace railyard::apps
