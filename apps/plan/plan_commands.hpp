#pragma once

#include <span>

#include "apps/cli/command.hpp"

namespace railyard::apps {

/// The subcommands of `railyard plan`, in the order of --help.
[[nodiscard]] std::span<const Command> plan_commands();

/// The functions for Command::add (apps/plan/<name>/<name>_command.cpp).
RunCommand add_plan_train(FlagSet app);
RunCommand add_plan_fabric(FlagSet app);
RunCommand add_plan_serve(FlagSet app);

}  // namespace railyard::apps
