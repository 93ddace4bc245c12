#pragma once

#include <string>
#include <vector>

#include "apps/cli/context.hpp"

namespace railyard::apps {

/// Parses the arguments (without the program's name) and runs the subcommand. Returns the exit
/// code; every exception ends here: wrong input 2, a missing backend 3, anything else 70.
[[nodiscard]] int run_command_line(const std::vector<std::string>& arguments, Context& context);

}  // namespace railyard::apps
