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

/// A parameter of StepEfficiency that measured runs are fitted with.
struct EfficiencyParameter {
  /// The runs that depend on it.
  enum class Scope {
    all,
    experts,    ///< of models with experts
    four_bit,   ///< with 4-bit weights
    narrow_kv,  ///< with a KV cache of less than 16 bits
    client,     ///< that a client in Python sent
    engine,     ///< all, with a value of its own for each engine
  };

  std::string_view name;  ///< of the member
  double StepEfficiency::*member;
  /// A typical value, by Engine: memory and matrix rates of large kernels (docs/models/compute.md),
  /// launches in CUDA graphs, all-reduces over NVLink, schedulers in Python.
  std::array<double, 3> typical;
  Scope scope = Scope::all;
  double least = 0, most = std::numeric_limits<double>::infinity();

  /// Whether a run with this deployment depends on it.
  [[nodiscard]] bool applies_to(const Deployment& deployment, bool has_experts) const;
};

[[nodiscard]] std::span<const EfficiencyParameter> efficiency_parameters();

/// How strongly a fit holds each parameter to where it starts (FitProblem::prior).
inline constexpr double kEfficiencyPrior = 0.02;

/// A fitted parameter.
struct FittedParameter {
  std::string name{};
  double value = 0;
  double uncertainty = 0;  ///< standard error of its logarithm
};

}  // namespace railyard::placement::serving
