#pragma once

#include "apps/cli/context.hpp"
#include "apps/validate/validation.hpp"

namespace railyard::apps {

/// Options that apply only to measured training steps.
struct TrainingOptions {
  bool fit = false;         ///< fit the efficiencies to the runs, print and use them
  bool whole_step = false;  ///< also simulate each step as one workload
};

/// Predicts every measured step of the request's files. Throws InputError.
[[nodiscard]] Validation validate_training(const ValidationRequest& request,
                                           const TrainingOptions& options, Context& context);

}  // namespace railyard::apps
