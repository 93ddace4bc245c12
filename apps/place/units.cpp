#include "apps/place/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace railyard::apps {
namespace {

using placement::Tiers;

struct Unit {
  std::string leaf;  ///< the first of its leaves
  int nodes = 0, free = 0, taken = 0;
};

/// Leaves of a node's NICs.
std::vector<std::uint32_t> leaves_of(const Tiers& tiers, std::uint32_t node) {
  const std::size_t nodes = tiers.cluster().node_count();
  const std::uint32_t begin = tiers.first_nic(node);
  const std::uint32_t end =
      node + 1 < nodes ? tiers.first_nic(node + 1) : static_cast<std::uint32_t>(tiers.nic_count());
  std::vector<std::uint32_t> leaves;
  for (std::uint32_t nic = begin; nic < end; ++nic) leaves.push_back(tiers.nic(nic).leaf);
  return leaves;
}

/// Nodes of which every GPU is free, and nodes of which the job has any.
struct NodeUse {
  std::vector<bool> free, taken;
};

NodeUse use_of(const Question& q, const placement::Mapping& mapping) {
  const std::size_t nodes = q.cluster.node_count();
  std::vector<int> gpus(nodes, 0);
  NodeUse use{std::vector<bool>(nodes, false), std::vector<bool>(nodes, false)};
  for (const Rank gpu : q.free) ++gpus[q.cluster.node_of(gpu).index()];
  for (std::size_t n = 0; n < nodes; ++n)
    use.free[n] = gpus[n] == q.cluster.shape(NodeId(n)).gpu_count();
  for (const Rank gpu : mapping.gpus) use.taken[q.cluster.node_of(gpu).index()] = true;
  return use;
}

constexpr std::array<Column<Unit>, 5> kUnits{{
    {"unit", [](const Unit& u) -> RowValue { return u.leaf; }},
    {"nodes", [](const Unit& u) -> RowValue { return std::int64_t{u.nodes}; }},
    {"free_before", [](const Unit& u) -> RowValue { return std::int64_t{u.free}; }},
    {"taken", [](const Unit& u) -> RowValue { return std::int64_t{u.taken}; }},
    {"free_after", [](const Unit& u) -> RowValue { return std::int64_t{u.free - u.taken}; }},
}};

struct Repacking {
  std::string job, from, to;
  double before = 0, after = 0;
};

constexpr ColumnStyle kThousandths{.decimals = 3};
constexpr ColumnStyle kTenths{.decimals = 1};

constexpr std::array<Column<Repacking>, 6> kRepackings{{
    {"move", [](const Repacking& r) -> RowValue { return r.job; }},
    {"from_nodes", [](const Repacking& r) -> RowValue { return r.from; }},
    {"to_nodes", [](const Repacking& r) -> RowValue { return r.to; }},
    {"busiest_s", [](const Repacking& r) -> RowValue { return r.before; }, kThousandths},
    {"busiest_after_s", [](const Repacking& r) -> RowValue { return r.after; }, kThousandths},
    {"gain_pct", [](const Repacking& r) -> RowValue { return 100 * (1 - r.after / r.before); },
     kTenths},
}};

std::string node_list(const Question& q, std::span<const Rank> gpus) {
  placement::Mapping nodes;  // node numbers, to be written like ranks
  for (const Rank gpu : gpus) {
    const Rank node(q.cluster.node_of(gpu).value());
    if (nodes.gpus.empty() || nodes.gpus.back() != node) nodes.gpus.push_back(node);
  }
  return rank_list_text(nodes);
}

/// GPUs for a job that moves, out of units with the fewest free nodes that still hold it, else in
/// the order of the nodes.
std::vector<Rank> new_home(const Question& q, const Tiers& tiers, const std::set<Rank>& free,
                           std::size_t count) {
  std::map<std::vector<std::uint32_t>, std::vector<Rank>> units;
  for (const Rank gpu : free)
    units[leaves_of(tiers, q.cluster.node_of(gpu).value())].push_back(gpu);
  const std::vector<Rank>* best = nullptr;
  for (const auto& [leaves, gpus] : units)
    if (gpus.size() >= count && (best == nullptr || gpus.size() < best->size())) best = &gpus;
  std::vector<Rank> home(free.begin(), free.end());
  if (best != nullptr) home = *best;
  home.resize(count);
  return home;
}

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

RowTable tabulate_repacking(const Question& q, const Mapper& mapper,
                            const placement::Strategy& strategy) {
  const double before = mapper.searched(strategy, q.free).score.seconds;
  std::vector<Repacking> rows;
  for (const Tenant& tenant : q.occupancy.jobs) {
    const std::vector<Rank> gpus = gpus_of(q.cluster, tenant.nodes, tenant.gpus);
    if (gpus.empty()) continue;
    std::vector<Rank> free = q.free;
    free.insert(free.end(), gpus.begin(), gpus.end());
    std::ranges::sort(free);
    const placement::MappingChoice choice = mapper.searched(strategy, free);
    if (choice.score.seconds > 0.99 * before) continue;
    std::set<Rank> rest(free.begin(), free.end());
    for (const Rank gpu : choice.mapping.gpus) rest.erase(gpu);
    if (rest.size() < gpus.size()) continue;
    const std::vector<Rank> home = new_home(q, mapper.tiers(), rest, gpus.size());
    rows.push_back(
        {tenant.name, node_list(q, gpus), node_list(q, home), before, choice.score.seconds});
  }
  std::ranges::stable_sort(rows, {}, &Repacking::after);
  return tabulate(std::span<const Column<Repacking>>(kRepackings),
                  std::span<const Repacking>(rows));
}

}  // namespace railyard::apps
