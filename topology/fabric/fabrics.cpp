#include "topology/fabric/fabrics.hpp"

#include <fmt/format.h>

#include <array>

#include "core/diagnostic.hpp"
#include "topology/fabric/explicit_fabric.hpp"
#include "topology/fabric/fat_tree.hpp"
#include "topology/fabric/unit_clos.hpp"

namespace railyard::topology {
namespace {

void build_single_switch(ClusterBuilder& builder) {
  ClosPlan plan{.leaves = 1, .leaves_per_pod = 1};
  plan.leaf_of_nic.assign(builder.nics().size(), 0);
  wire_clos(builder, plan);
}

void require_one_unit(const ClusterBuilder& builder) {
  const std::size_t nodes = builder.cluster().node_count();
  const auto& per_unit = builder.fabric().nodes_per_unit;
  if (!per_unit || nodes <= static_cast<std::size_t>(*per_unit)) return;
  throw InputError(
      builder.cluster().spec().file, "/fabric/nodes_per_unit",
      fmt::format("the cluster has {} nodes, but the single unit of a rail_only fabric has {}",
                  nodes, *per_unit),
      "raise nodes_per_unit, or use rail_clos to connect several units");
}

/// How a kind of fabric is generated: by a Clos of units (tiers = 0 means the number of tiers in
/// the fabric's config), or by its own function `build`.
struct Generator {
  FabricKind kind;
  UnitClos clos{};
  void (*build)(ClusterBuilder&) = nullptr;
};
constexpr std::array<Generator, 8> kGenerators{{
    {.kind = FabricKind::single_switch, .build = build_single_switch},
    {.kind = FabricKind::leaf_spine, .clos = {.has_rails = false, .tiers = 2}},
    {.kind = FabricKind::clos3, .clos = {.has_rails = false, .tiers = 3}},
    {.kind = FabricKind::fat_tree, .build = build_fat_tree},
    {.kind = FabricKind::rail_clos, .clos = {.has_rails = true, .tiers = 0}},
    {.kind = FabricKind::rail_only, .clos = {.has_rails = true, .tiers = 1}},
    {.kind = FabricKind::dual_plane, .clos = {.has_rails = true, .planes = 2, .tiers = 0}},
    {.kind = FabricKind::explicit_list, .build = build_explicit},
}};

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < kGenerators.size(); ++i)
    if (static_cast<std::size_t>(kGenerators[i].kind) != i) return false;
  return true;
}
static_assert(is_in_order(), "kGenerators is indexed by FabricKind");

}  // namespace

void build_fabric(ClusterBuilder& builder) {
  const FabricSpec& fabric = builder.fabric();
  const Generator& generator = kGenerators[static_cast<std::size_t>(fabric.kind)];
  if (generator.build) {
    generator.build(builder);
    return;
  }
  if (fabric.kind == FabricKind::rail_only) require_one_unit(builder);
  UnitClos clos = generator.clos;
  if (clos.tiers == 0) clos.tiers = fabric.tiers;
  wire_clos(builder, plan_unit_clos(builder, clos));
}

}  // namespace railyard::topology
