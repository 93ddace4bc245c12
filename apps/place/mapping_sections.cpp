#include "apps/place/mapping_sections.hpp"

#include <fmt/format.h>

#include <array>

#include "apps/output/row_values.hpp"

namespace railyard::apps {
namespace {

using placement::LeafGroupUse;
using placement::MappingOption;
using placement::TrunkTier;

struct PhaseRow {
  const placement::Tiers& tiers;
  const placement::PhaseLoad& load;
};

template <TrunkTier tier>
RowValue tier_us(const PhaseRow& r) {
  return r.load.tiers[static_cast<std::size_t>(tier)].time.microseconds();
}

constexpr std::array<Column<PhaseRow>, 10> kPhases{{
    {"phase", [](const PhaseRow& r) -> RowValue { return r.load.name; }},
    {"count", [](const PhaseRow& r) -> RowValue { return std::int64_t{r.load.count}; }},
    {"time_us", [](const PhaseRow& r) -> RowValue { return r.load.time.microseconds(); }, kTenths},
    {"total_s", [](const PhaseRow& r) -> RowValue { return r.load.count * r.load.time.seconds(); },
     kThousandths},
    {"busiest_link",
     [](const PhaseRow& r) -> RowValue {
       const auto& tier = r.load.tiers[static_cast<std::size_t>(r.load.bound_by)];
       return tier.trunk.is_none() ? std::string() : r.tiers.name(tier.trunk);
     }},
    {"node_us", tier_us<TrunkTier::node>, kTenths},
    {"port_us", tier_us<TrunkTier::port>, kTenths},
    {"leaf_us", tier_us<TrunkTier::leaf>, kTenths},
    {"pod_us", tier_us<TrunkTier::pod>, kTenths},
    {"hop_bytes_GB", [](const PhaseRow& r) -> RowValue { return r.load.hop_bytes / 1e9; }, kTenths},
}};

constexpr std::array<Column<MappingOption>, 7> kMappings{{
    {"mapping", [](const MappingOption& m) -> RowValue { return m.method; }},
    {"order", [](const MappingOption& m) -> RowValue { return m.choice.order; }},
    {"busiest_s", [](const MappingOption& m) -> RowValue { return m.choice.score.seconds; },
     kThousandths},
    {"routed_s", [](const MappingOption& m) -> RowValue { return m.routed_seconds; }, kThousandths},
    {"uplinks_s", [](const MappingOption& m) -> RowValue { return m.choice.score.uplink_seconds; },
     kThousandths},
    {"hop_bytes_GB",
     [](const MappingOption& m) -> RowValue { return m.choice.score.hop_bytes / 1e9; }, kTenths},
    {"exchanges",
     [](const MappingOption& m) -> RowValue {
       return static_cast<std::int64_t>(m.choice.exchanges);
     }},
}};

constexpr std::array<Column<LeafGroupUse>, 5> kLeafGroups{{
    {"leaf_group", [](const LeafGroupUse& g) -> RowValue { return g.leaf; }},
    {"nodes", [](const LeafGroupUse& g) -> RowValue { return std::int64_t{g.nodes}; }},
    {"free_before", [](const LeafGroupUse& g) -> RowValue { return std::int64_t{g.free_before}; }},
    {"used", [](const LeafGroupUse& g) -> RowValue { return std::int64_t{g.used}; }},
    {"free_after", [](const LeafGroupUse& g) -> RowValue { return std::int64_t{g.free_after}; }},
}};

}  // namespace

const MappingOption& chosen_mapping(std::span<const MappingOption> options, std::size_t fastest,
                                    bool simulated, Context& context) {
  const MappingOption &ordered = options.front(), &searched = options.back();
  const bool routes_worse =
      !simulated && ordered.routed_seconds < searched.routed_seconds * (1 - 1e-9);
  if (fastest == 0 && !routes_worse) return searched;
  print_note(context,
             fmt::format("{}, the step is shorter with the ranks in order, so this order is kept",
                         routes_worse ? "with every flow routed" : "simulated"));
  return ordered;
}

RowTable tabulate_mappings(std::span<const MappingOption> options) {
  return tabulate(kMappings, options);
}

RowTable tabulate_phases(const placement::Tiers& tiers,
                         const std::vector<placement::PhaseLoad>& loads) {
  std::vector<PhaseRow> rows;
  for (const placement::PhaseLoad& load : loads) rows.push_back({tiers, load});
  return tabulate(kPhases, rows);
}

RowTable tabulate_leaf_groups(std::span<const LeafGroupUse> uses) {
  return tabulate(kLeafGroups, uses);
}

}  // namespace railyard::apps
