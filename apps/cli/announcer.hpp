#pragma once

#include "apps/cli/context.hpp"
#include "sim/run_watch.hpp"

namespace railyard::apps {

/// Prints what runs announce as notes, each sentence once. The context must outlive it; several
/// threads may use it.
[[nodiscard]] sim::Announce announcer(const Context& context);

}  // namespace railyard::apps
