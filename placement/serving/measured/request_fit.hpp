#pragma once

#include <vector>

#include "placement/serving/planner/serving_plan.hpp"
#include "placement/serving/step/efficiency_parameters.hpp"

namespace railyard::placement::serving {

/// Efficiencies of one machine, fitted to requests that it served.
struct RequestFit {
  struct Parameter {
    FittedParameter fitted{};
    double before = 0;
    /// True if the requests determine it; otherwise it keeps the value `before`.
    bool identified = false;
  };
  StepEfficiency efficiency{};
  std::vector<Parameter> parameters{};
  /// Errors over all requests, with the efficiencies before and after the fit.
  std::vector<MeasuredComparison> before{}, after{};
  /// Errors over the second half of the requests, with efficiencies fitted to the first half only.
  std::vector<MeasuredComparison> held_out{};
};

/// Fits the efficiencies that affect `option` to the measured TTFT and TPOT of the requests in the
/// trace, simulated on `option`. Starts from ServingPlanRequest::efficiency, or the shipped values.
///
/// Least squares (core/least_squares.hpp) of log(predicted / measured), for the mean TTFT and the
/// mean TPOT of up to 20 groups of consecutive requests. A weak prior (0.02) pulls each parameter
/// to its start value. Means of groups are used because a single simulated request can shift by a
/// whole step.
///
/// A parameter is fitted if the standard error of its logarithm is below 0.5, and rounded to four
/// digits. Throws InputError at "--trace" if fewer than 20 requests have measured times, or if none
/// can be served.
[[nodiscard]] RequestFit fit_requests(ServingPlanRequest request, const ServingOption& option);

}  // namespace railyard::placement::serving
