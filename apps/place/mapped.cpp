#include "apps/place/mapped.hpp"

#include <fmt/format.h>

#include <array>

#include "placement/mapping/routed_score.hpp"

namespace railyard::apps {
namespace {

using placement::TrunkTier;
using Way = Mapper::Way;

struct PhaseRow {
  const placement::Tiers& tiers;
  const placement::PhaseLoad& load;
};

template <TrunkTier tier>
RowValue tier_us(const PhaseRow& r) {
  return r.load.tiers[static_cast<std::size_t>(tier)].time.microseconds();
}

constexpr ColumnStyle kThousandths{.decimals = 3};
constexpr ColumnStyle kTenths{.decimals = 1};

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
    {"hop_GB", [](const PhaseRow& r) -> RowValue { return r.load.hop_bytes / 1e9; }, kTenths},
}};

constexpr std::array<Column<Way>, 7> kWays{{
    {"mapping", [](const Way& w) -> RowValue { return w.method; }},
    {"order", [](const Way& w) -> RowValue { return w.choice.order; }},
    {"busiest_s", [](const Way& w) -> RowValue { return w.choice.score.seconds; }, kThousandths},
    {"routed_s", [](const Way& w) -> RowValue { return w.routed_seconds; }, kThousandths},
    {"uplinks_s", [](const Way& w) -> RowValue { return w.choice.score.uplink_seconds; },
     kThousandths},
    {"hop_GB", [](const Way& w) -> RowValue { return w.choice.score.hop_bytes / 1e9; }, kTenths},
    {"exchanges",
     [](const Way& w) -> RowValue { return static_cast<std::int64_t>(w.choice.exchanges); }},
}};

}  // namespace

Mapper::Mapper(const Question& question, bool searches)
    : question_(question),
      searches_(searches),
      tiers_(question.cluster),
      background_(background_of(question, tiers_)) {
  evaluate_ = placement::evaluate_options(question.cluster);
  evaluate_.hashed = question.routing.policy == topology::RoutingPolicy::ecmp;
  evaluate_.flows_per_pair = question.routing.qps;
  evaluate_.available = background_.available;
  evaluate_.left_of_links = background_.left_of_links;
}

placement::Mapping Mapper::ordered(const placement::Strategy& strategy) const {
  const placement::RankGrid grid = placement::strategy_grid(strategy);
  return placement::map_in_order(grid.ranks_in(placement::layout_in(strategy, question_.order)),
                                 std::span(question_.free).first(grid.size()));
}

std::vector<placement::Mapping> Mapper::mappings(const placement::Strategy& strategy) const {
  std::vector<placement::Mapping> all;
  if (searches_) {
    const placement::RankGrid grid = placement::strategy_grid(strategy);
    const auto phases = placement::step_traffic(question_.job, strategy);
    all.push_back(placement::optimise_mapping(tiers_, request(grid, phases)).mapping);
  }
  all.push_back(ordered(strategy));
  return all;
}

placement::MappingRequest Mapper::request(const placement::RankGrid& grid,
                                          std::span<const placement::TrafficPhase> phases) const {
  return {.grid = &grid,
          .phases = phases,
          .free = question_.free,
          .evaluate = evaluate_,
          .judged_by = question_.routing};
}

std::vector<Way> Mapper::ways(const placement::Strategy& strategy) const {
  const placement::RankGrid grid = placement::strategy_grid(strategy);
  const auto phases = placement::step_traffic(question_.job, strategy);
  placement::EvaluateOptions even = evaluate_;
  even.hashed = false;
  placement::Evaluator evaluator(tiers_, phases, even);
  placement::RoutedScore routed(tiers_, phases, question_.routing, even);
  placement::MappingChoice naive{.mapping = ordered(strategy),
                                 .score = {},
                                 .layout = placement::layout_in(strategy, question_.order),
                                 .order = {}};
  naive.order = placement::to_text(naive.layout);
  std::vector<Way> ways;
  const auto add = [&](std::string method, placement::MappingChoice choice) {
    choice.score = evaluator.score(choice.mapping);
    const double seconds = routed(choice.mapping);
    ways.push_back({std::move(method), std::move(choice), seconds});
  };
  add("as ordered", std::move(naive));
  add("best axis order", placement::best_axis_order(tiers_, request(grid, phases)));
  add("searched", placement::optimise_mapping(tiers_, request(grid, phases)));
  return ways;
}

placement::MappingChoice Mapper::searched(const placement::Strategy& strategy,
                                          std::span<const Rank> free) const {
  const placement::RankGrid grid = placement::strategy_grid(strategy);
  const auto phases = placement::step_traffic(question_.job, strategy);
  placement::MappingRequest asked = request(grid, phases);
  asked.free = free;
  asked.evaluate.available = {};
  asked.evaluate.left_of_links = {};
  asked.judged_by.reset();
  return placement::optimise_mapping(tiers_, asked);
}

std::vector<placement::PhaseLoad> Mapper::loads(const placement::Strategy& strategy,
                                                const placement::Mapping& mapping) const {
  const auto phases = placement::step_traffic(question_.job, strategy);
  return placement::evaluate(mapping, phases, tiers_, evaluate_);
}

const Way& way_taken(std::span<const Way> ways, std::size_t fastest, bool simulated,
                     Context& context) {
  // Not simulated, what the flows' own ways say counts.
  const bool routes_worse =
      !simulated && ways.front().routed_seconds < ways.back().routed_seconds * (1 - 1e-9);
  if (fastest == 0 && !routes_worse) return ways.back();
  print_note(context, fmt::format("{}, the step is shorter with the ranks as ordered: they stay so",
                                  routes_worse ? "with every flow routed" : "simulated"));
  return ways.front();
}

RowTable tabulate_ways(const std::vector<Way>& ways) {
  return tabulate(std::span<const Column<Way>>(kWays), std::span(ways));
}

RowTable tabulate_phases(const placement::Tiers& tiers,
                         const std::vector<placement::PhaseLoad>& loads) {
  std::vector<PhaseRow> rows;
  for (const placement::PhaseLoad& load : loads) rows.push_back({tiers, load});
  return tabulate(std::span<const Column<PhaseRow>>(kPhases), std::span<const PhaseRow>(rows));
}

std::string rank_list_text(const placement::Mapping& mapping) {
  std::string text;
  for (std::size_t i = 0; i < mapping.gpus.size();) {
    std::size_t last = i;
    while (last + 1 < mapping.gpus.size() &&
           mapping.gpus[last + 1].value() == mapping.gpus[last].value() + 1)
      ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ",", mapping.gpus[i].value());
    if (last > i) text += fmt::format("-{}", mapping.gpus[last].value());
    i = last + 1;
  }
  return text;
}

}  // namespace railyard::apps
