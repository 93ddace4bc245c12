#include "apps/place/units.hpp"

#include <array>
#include <map>

#include "apps/place/node_use.hpp"

namespace railyard::apps {
namespace {

using placement::Tiers;

struct Unit {
  std::string leaf;  ///< the first of its leaves
  int nodes = 0, free = 0, taken = 0, left = 0;
};

/// Nodes of which every GPU is free, and nodes of which the job has any.
struct NodeUse {
  std::vector<bool> free, taken;
};

NodeUse use_of(const Question& q, const placement::Mapping& mapping) {
  NodeUse use{free_nodes(q), std::vector<bool>(q.cluster.node_count(), false)};
  for (const Rank gpu : mapping.gpus) use.taken[q.cluster.node_of(gpu).index()] = true;
  return use;
}

constexpr std::array<Column<Unit>, 5> kUnits{{
    {"unit", [](const Unit& u) -> RowValue { return u.leaf; }},
    {"nodes", [](const Unit& u) -> RowValue { return std::int64_t{u.nodes}; }},
    {"free_before", [](const Unit& u) -> RowValue { return std::int64_t{u.free}; }},
    {"taken", [](const Unit& u) -> RowValue { return std::int64_t{u.taken}; }},
    {"free_after", [](const Unit& u) -> RowValue { return std::int64_t{u.left}; }},
}};

}  // namespace

RowTable tabulate_units(const Question& q, const Tiers& tiers, const placement::Mapping& mapping) {
  const NodeUse use = use_of(q, mapping);
  std::map<std::vector<std::uint32_t>, Unit> units;
  for (std::uint32_t n = 0; n < q.cluster.node_count(); ++n) {
    const std::vector<std::uint32_t> leaves = leaves_of(tiers, n);
    Unit& unit = units[leaves];
    ++unit.nodes;
    unit.free += use.free[n] ? 1 : 0;
    unit.taken += use.taken[n] ? 1 : 0;
    unit.left += use.free[n] && !use.taken[n] ? 1 : 0;
    if (unit.leaf.empty() && !leaves.empty() && leaves.front() != Tiers::kNone) {
      const std::string name = tiers.name(placement::TrunkId(tiers.leaf_up(leaves.front())));
      unit.leaf = name.substr(name.rfind(' ') + 1);
    }
  }
  std::vector<Unit> rows;
  for (const auto& [leaves, unit] : units)
    if (unit.free + unit.taken > 0) rows.push_back(unit);
  return tabulate(std::span<const Column<Unit>>(kUnits), std::span<const Unit>(rows));
}

}  // namespace railyard::apps
