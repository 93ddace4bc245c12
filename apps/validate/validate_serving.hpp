#pragma once

#include "apps/cli/context.hpp"
#include "apps/validate/validation.hpp"

namespace railyard::apps {

/// Options that apply only to measured serving runs.
struct ServingOptions {
  bool fit = false;  ///< fit the engines' efficiencies to the runs, print and use them
};

/// Predicts every measured run of an inference engine in the request's files. Throws InputError.
[[nodiscard]] Validation validate_serving(const ValidationRequest& request,
                                          const ServingOptions& options, Context& context);

}  // namespace railyard::apps
