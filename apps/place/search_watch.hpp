#pragma once

#include <string>

#include "apps/cli/context.hpp"
#include "apps/output/rows.hpp"
#include "placement/jobs/candidates.hpp"

namespace railyard::apps {

/// A note on standard error that the result keeps too.
void note(Provenance& provenance, Context& context, std::string text);

/// Draws progress where standard error is a terminal, and stops once ctrl-C was pressed. Notes go
/// to standard error and into the result. Both must outlive it.
[[nodiscard]] placement::SearchWatch search_watch(Provenance& provenance, Context& context);

}  // namespace railyard::apps
