#pragma once

#include <span>

#include "apps/cli/command.hpp"

namespace railyard::apps {

/// Makes `app` a command with subcommands only, such as `railyard topo`. `examples` is at the end
/// of its help.
[[nodiscard]] RunCommand add_subcommands(FlagSet app, std::span<const Command> commands,
                                         const char* examples);

}  // namespace railyard::apps
