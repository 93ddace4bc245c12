#pragma once

#include <string>
#include <vector>

#include "apps/cli/context.hpp"

namespace railyard::apps {

/// Parses the arguments (without the program's name) and runs the subcommand. Returns the exit
/// code; every exception ends here: wrong input 2, a missing backend 3, anything else 70.
[[nodiscard]] int run_command_line(const std::vector<std::string>& arguments, Context& context);

/// The flags of the command that a command line names ("--nodes", "-b"); runs nothing. Throws
/// InputError for what run_command_line would refuse before it runs the command.
[[nodiscard]] std::vector<std::string> parsed_flags(const std::vector<std::string>& arguments);

}  // namespace railyard::apps
