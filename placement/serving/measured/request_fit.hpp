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
    bool identified = false;  ///< the requests determine it; else it has the value before
  };
  StepEfficiency efficiency{};
  std::vector<Parameter> parameters{};
  /// Errors of all requests with the efficiencies before and with the fitted ones.
  std::vector<MeasuredComparison> before{}, after{};
  /// Errors of the second half of the requests, fitted to the first half alone.
  std::vector<MeasuredComparison> held_out{};
};

/// Fits the efficiencies that `option` depends on to the measured TTFT and TPOT of the request's
/// trace, as `option` serves it. Starts from ServingPlanRequest::efficiency, or the shipped values.
///
/// Least squares (core/least_squares.hpp) of log(predicted / measured) of the mean TTFT and of the
/// mean TPOT of up to 20 groups of requests that follow each other, with a weak prior (0.02) that
/// holds each parameter to where it starts. Means of groups, because a simulated request can move
/// by a whole step.
///
/// A parameter is fitted if its standard error is below 0.5, and rounded to four digits. Throws
/// InputError at "--trace" if fewer than 20 requests have measured times, or none can be served.
[[nodiscard]] RequestFit fit_requests(ServingPlanRequest request, const ServingOption& option);

}  // namespace railyard::placement::serving
