#pragma once

#include <string>

#include "apps/cli/context.hpp"
#include "apps/cli/flags.hpp"

namespace railyard::apps {

/// Adds --threads N; 0, the default, is one per core.
void add_threads_flag(FlagSet app, int& threads);

/// The command line for provenance, without --threads: results are the same for any number.
[[nodiscard]] std::string command_without_threads(const Context& context);

}  // namespace railyard::apps
