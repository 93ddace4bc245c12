#include "apps/topo/import_fabric.hpp"

#include <fmt/format.h>

#include "apps/cli/flag_value.hpp"
#include "core/config/enum_names.hpp"
#include "core/diagnostic.hpp"
#include "core/ratio.hpp"
#include "topology/cluster/topology_names.hpp"
#include "topology/fabric/reference_values.hpp"

namespace railyard::apps {
namespace {

using topology::FabricKind;
using topology::FabricSpec;
using topology::Transport;

}  // namespace

void add_import_fabric_flags(FlagSet app, ImportFabricFlags& flags) {
  app = app.under("Fabric of imported nodes");
  app.add_option("--fabric", flags.kind,
                 "Kind of fabric: single_switch, leaf_spine, clos3, fat_tree, rail_clos, rail_only "
                 "or dual_plane [single_switch]")
      .type_name("KIND");
  app.add_option("--transport", flags.transport,
                 "Transport: infiniband, roce or tcp [infiniband; probe: the NICs' transport]")
      .type_name("NAME");
  app.add_option("--tiers", flags.tiers, "rail_clos, dual_plane: switch tiers, 2 or 3 [3]")
      .type_name("N");
  app.add_option("--nodes-per-unit", flags.nodes_per_unit, "Nodes that share leaf switches [32]")
      .type_name("N");
  app.add_option("--units-per-pod", flags.units_per_pod,
                 "Leaf groups that share spine switches [4]")
      .type_name("N");
  app.add_option("--leaf-oversubscription", flags.leaf_oversubscription,
                 "Capacity down over capacity up of a leaf [1]")
      .type_name("RATIO");
  app.add_option("--spine-oversubscription", flags.spine_oversubscription,
                 "Capacity down over capacity up of a spine [1]")
      .type_name("RATIO");
  app.add_option("--port-bandwidth", flags.port_bandwidth,
                 "Bandwidth of a link between NIC and leaf: '100 Gb/s' [the NIC's rate]")
      .type_name("RATE");
  app.add_option("--fabric-bandwidth", flags.fabric_bandwidth,
                 "Bandwidth of a link between switches [a port's rate]")
      .type_name("RATE");
  app.add_option("--k", flags.k, "fat_tree: ports of a switch").type_name("N");
}

FabricSpec import_fabric(const ImportFabricFlags& flags, std::vector<std::string>& notes) {
  Diagnostics problems("");
  const auto kind = core::parse_enum<FabricKind>(flags.kind);
  if (!kind.value) problems.add("--fabric", kind.error);
  if (kind.value == FabricKind::explicit_list) {
    problems.add("--fabric",
                 "an explicit fabric cannot be generated: it is a list of switches and cables",
                 "import ibnetdiscover or Slurm's topology, or write the cluster file");
  }
  const auto transport = core::parse_enum<Transport>(flags.transport);
  if (!transport.value) problems.add("--transport", transport.error);
  const auto rate = [&](const std::string& text, const char* flag) -> std::optional<Bandwidth> {
    if (text.empty()) return std::nullopt;
    const auto parsed = core::parse_bandwidth(text);
    if (!parsed.value || *parsed.value <= Bandwidth())
      problems.add(flag, parsed.value ? "must be greater than 0" : parsed.error);
    return parsed.value;
  };
  const auto port_bandwidth = rate(flags.port_bandwidth, "--port-bandwidth");
  const auto fabric_bandwidth = rate(flags.fabric_bandwidth, "--fabric-bandwidth");
  problems.throw_if_any();
  FabricSpec fabric;
  fabric.port_bandwidth = port_bandwidth;
  fabric.fabric_bandwidth = fabric_bandwidth;
  fabric.kind = *kind.value;
  fabric.transport = *transport.value;
  fabric.k = flags.k;
  const auto ratio = [](const std::string& text, const char* flag) {
    return flag_value(core::parse_ratio(text), flag, "2, 1.5 or 3:2");
  };
  fabric.leaf_oversubscription = ratio(flags.leaf_oversubscription, "--leaf-oversubscription");
  fabric.spine_oversubscription = ratio(flags.spine_oversubscription, "--spine-oversubscription");
  if (flags.tiers) fabric.tiers = *flags.tiers;
  fabric.nodes_per_unit = flags.nodes_per_unit;
  fabric.units_per_pod = flags.units_per_pod;
  set_reference_values(fabric, notes);
  return fabric;
}

}  // namespace railyard::apps
