#pragma once

#include "apps/cli/context.hpp"
#include "apps/validate/validation.hpp"

namespace railyard::apps {

/// Predicts the power of prompts and of decodes of every measured batch in the request's files
/// (Splitwise), from its measured times. Throws InputError.
[[nodiscard]] Validation validate_power(const ValidationRequest& request, Context& context);

}  // namespace railyard::apps
