#pragma once

#include "apps/cli/context.hpp"
#include "apps/validate/validation.hpp"

namespace railyard::apps {

/// Predicts the highest throughput of every measured machine in the request's files (MLPerf
/// Inference). Throws InputError.
[[nodiscard]] Validation validate_capacity(const ValidationRequest& request, Context& context);

}  // namespace railyard::apps
