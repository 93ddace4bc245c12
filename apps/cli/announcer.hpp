#pragma once

#include "apps/cli/context.hpp"
#include "sim/run_watch.hpp"

namespace railyard::apps {

/// Prints announcements of runs as notes, each text once. The context must outlive it. Thread-safe.
[[nodiscard]] sim::Announce announcer(const Context& context);

}  // namespace railyard::apps
