#pragma once

#include <string>

#include "apps/cli/context.hpp"
#include "apps/output/rows.hpp"
#include "placement/jobs/candidates.hpp"

namespace railyard::apps {

/// Prints a note to standard error and adds it to the result.
void note(Provenance& provenance, Context& context, std::string text);

/// Shows progress if standard error is a terminal, and stops after ctrl-C. Notes are printed to
/// standard error and added to the result. Both arguments must outlive it.
[[nodiscard]] placement::SearchWatch search_watch(Provenance& provenance, Context& context);

}  // namespace railyard::apps
