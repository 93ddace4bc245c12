#pragma once

#include <span>

#include "apps/cli/command.hpp"

namespace railyard::apps {

/// The subcommands of `railyard topo`, in the order of --help.
[[nodiscard]] std::span<const Command> topo_commands();

/// The functions for Command::add (apps/topo_<name>_command.cpp).
RunCommand add_topo_list(FlagSet app);
RunCommand add_topo_show(FlagSet app);
RunCommand add_topo_check(FlagSet app);
RunCommand add_topo_import(FlagSet app);
RunCommand add_topo_export(FlagSet app);

}  // namespace railyard::apps
