#pragma once

#include "apps/cli/context.hpp"
#include "apps/explain/explain_flags.hpp"

namespace railyard::apps {

/// Lists the choices at each size with their cost and writes the result. Returns the exit code.
/// Throws InputError.
int run_explain(const ExplainFlags& flags, Context& context);

}  // namespace railyard::apps
