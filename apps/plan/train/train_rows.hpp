#pragma once

#include <span>
#include <vector>

#include "apps/output/rows.hpp"
#include "placement/capacity/training/grey_failures.hpp"
#include "placement/capacity/training/improvements.hpp"
#include "placement/capacity/training/scaling_curve.hpp"
#include "placement/capacity/training/shrinking.hpp"

namespace railyard::apps {

/// A row per option: where, the columns of strategy rows, then days, energy_MWh, cost, goodput,
/// power_MW and what belongs to them.
[[nodiscard]] RowTable tabulate_options(std::span<const placement::TrainingOption> options);
/// The columns that fit a terminal.
[[nodiscard]] RowTable summarise_options(std::span<const placement::TrainingOption> options);

/// Scaling of each candidate, strong and weak, with the walls.
[[nodiscard]] RowTable tabulate_scaling(std::span<const placement::ScalingPoint> points);

/// Where the time of an option goes: training, checkpoints, and each cause of interruptions.
[[nodiscard]] RowTable tabulate_time(const placement::TrainingOption& option);
/// The causes that waste most, and the goodput with half of each.
[[nodiscard]] RowTable tabulate_wastes(std::span<const placement::WasteShare> wastes);
/// Waiting for repairs against going on with fewer GPUs, by spare nodes.
[[nodiscard]] RowTable tabulate_recovery(const placement::Shrinking& shrinking);
/// What slow components do to a step, and what they cost a run of the option until they are found.
/// `processes`: those of its run.
[[nodiscard]] RowTable tabulate_grey(const placement::TrainingOption& option,
                                     std::span<const placement::GreyProcess> processes);
/// What would help, and by how much.
[[nodiscard]] RowTable tabulate_changes(std::span<const placement::Change> changes);
/// Rent and, where GPUs are bought, cost by part; empty without a price.
[[nodiscard]] RowTable tabulate_cost(const placement::TrainingOption& option);
/// Power by phase and part.
[[nodiscard]] RowTable tabulate_power(const placement::TrainingOption& option);

}  // namespace railyard::apps
