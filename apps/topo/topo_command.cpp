
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "apps/cli/commands.hpp"
#include "apps/topo/topo_commands.hpp"

namespace railyard::apps {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  railyard topo show clos_rail_h100 --nodes 16\n"
    "  railyard topo check my_cluster.json\n"
    "  railyard topo import node.xml --nodes 4 --fabric rail_clos -o cluster.json\n"
    "  railyard topo export clos_rail_h100 --format svg -o fabric.svg";

}  // namespace

RunCommand add_topo(FlagSet app) {
  const auto runs = std::make_shared<std::vector<std::pair<FlagSet, RunCommand>>>();
  for (const Command& command : topo_commands()) {
    const FlagSet sub = app.add_subcommand(command.name, command.summary);
    runs->emplace_back(sub, command.add(sub));
  }
  app.require_subcommand();
  app.footer(kExamples);
  return [runs](Context& context) {
    for (const auto& [sub, run] : *runs) {
      if (sub.was_named()) return run(context);
    }
    return static_cast<int>(ExitCode::wrong_input);
  };
}

}  // namespace railyard::apps
