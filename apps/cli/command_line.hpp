#pragma once

#include <string>
#include <vector>

#include "apps/cli/context.hpp"

namespace railyard::apps {

/// Parses the arguments (without the program's name) and runs the subcommand. Returns the exit
/// code. Catches all exceptions: invalid input is 2, a missing backend 3, anything else 70.
[[nodiscard]] int run_command_line(const std::vector<std::string>& arguments, Context& context);

/// The flags in a command line ("--nodes", "-b"), without running its command. Throws InputError
/// for command lines that run_command_line() rejects before it runs the command.
[[nodiscard]] std::vector<std::string> parsed_flags(const std::vector<std::string>& arguments);

}  // namespace railyard::apps
