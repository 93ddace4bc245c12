#pragma once

#include <array>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "placement/serving/step/deployment.hpp"
#include "placement/serving/step/step_efficiency.hpp"

namespace railyard::placement::serving {

/// A parameter of StepEfficiency that is fitted to measured runs.
struct EfficiencyParameter {
  /// The runs that are affected by a parameter.
  enum class Scope {
    all,
    experts,    ///< models with experts
    four_bit,   ///< 4-bit weights
    narrow_kv,  ///< KV cache with less than 16 bits
    client,     ///< requests sent by a client in Python
    engine,     ///< all runs, with a separate value for each engine
  };

  std::string_view name;  ///< name of the member
  double StepEfficiency::*member;
  /// Typical value by Engine, for the prior: memory and matrix rates of large kernels
  /// (docs/models/compute.md), launches in CUDA graphs, all-reduces over NVLink, schedulers in
  /// Python.
  std::array<double, 3> typical;
  Scope scope = Scope::all;
  double least = 0, most = std::numeric_limits<double>::infinity();

  /// True if the parameter affects a run with this deployment.
  [[nodiscard]] bool applies_to(const Deployment& deployment, bool has_experts) const;
};

/// All parameters that are fitted to serving runs.
[[nodiscard]] std::span<const EfficiencyParameter> efficiency_parameters();

/// Weight of the prior that pulls each parameter to its start value (FitProblem::prior).
inline constexpr double kEfficiencyPrior = 0.02;

/// A fitted parameter.
struct FittedParameter {
  std::string name{};
  double value = 0;
  double uncertainty = 0;  ///< standard error of its logarithm
};

}  // namespace railyard::placement::serving
