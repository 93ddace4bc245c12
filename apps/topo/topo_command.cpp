#include "apps/cli/commands.hpp"
#include "apps/cli/subcommands.hpp"
#include "apps/topo/topo_commands.hpp"

namespace railyard::apps {
namespace {

constexpr const char* kExamples = R"(
Examples:
  railyard topo show clos_rail_h100 --nodes 16
  railyard topo check my_cluster.json
  railyard topo import node.xml --nodes 4 --fabric rail_clos -o cluster.json
  railyard topo export clos_rail_h100 --format svg -o fabric.svg)";

}  // namespace

RunCommand add_topo(FlagSet app) { return add_subcommands(app, topo_commands(), kExamples); }

}  // namespace railyard::apps
