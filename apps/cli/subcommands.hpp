#pragma once

#include <span>

#include "apps/cli/command.hpp"

namespace railyard::apps {

/// Makes `app` a command that only chooses one of others, such as `railyard topo show`. `examples`
/// ends its help.
[[nodiscard]] RunCommand add_subcommands(FlagSet app, std::span<const Command> commands,
                                         const char* examples);

}  // namespace railyard::apps
