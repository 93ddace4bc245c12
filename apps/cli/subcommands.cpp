#include "apps/cli/subcommands.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace railyard::apps {

RunCommand add_subcommands(FlagSet app, std::span<const Command> commands, const char* examples) {
  const auto runs = std::make_shared<std::vector<std::pair<FlagSet, RunCommand>>>();
  for (const Command& command : commands) {
    const FlagSet sub = app.add_subcommand(command.name, command.summary);
    runs->emplace_back(sub, command.add(sub));
  }
  app.require_subcommand();
  app.footer(examples);
  return [runs](Context& context) {
    for (const auto& [sub, run] : *runs) {
      if (sub.was_named()) return run(context);
    }
    return static_cast<int>(ExitCode::wrong_input);
  };
}

}  // namespace railyard::apps
