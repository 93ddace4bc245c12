#pragma once

#include <span>
#include <string_view>

#include "collectives/nccl/timing/time_model.hpp"

namespace railyard::collectives::nccl {

/// The owner of a parameter, and thus the machines that share it: all GPUs of a generation, all
/// fabrics of a kind, all hosts of a kind.
enum class ParameterOwner { generation, fabric, host };

/// A parameter of the time model that can be fitted: a positive number, times in us.
struct TimingParameter {
  std::string_view name;  ///< its place in the config: "step/ll128"
  ParameterOwner owner = ParameterOwner::generation;
  double (*get)(const Machine& machine);
  void (*set)(Machine& machine, double value);
  /// How strongly a fit keeps it near its start value, relative to one table's weight: more for
  /// physical quantities (efficiencies of links) than for latencies of software.
  double prior = 0.003;
  /// The largest value that physics allows on a machine; nullptr: any.
  double (*most)(const Machine& machine) = nullptr;

  /// `value`, limited to that maximum.
  [[nodiscard]] double bounded(const Machine& machine, double value) const;
};

/// All parameters.
[[nodiscard]] std::span<const TimingParameter> timing_parameters();

}  // namespace railyard::collectives::nccl
