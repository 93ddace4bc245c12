#include "apps/place/repacking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "apps/place/node_use.hpp"
#include "apps/place/settle.hpp"
#include "placement/mapping/node_blocks.hpp"

namespace railyard::apps {
namespace {

using placement::Strategy;
using placement::Tiers;

/// A job that moves.
struct Move {
  std::size_t tenant = 0;
  std::vector<Rank> from, to;
};
using Moves = std::vector<Move>;

constexpr std::size_t kMostPlans = 4;  ///< that are simulated
constexpr std::size_t kMostAlone = 8;  ///< jobs that are tried by themselves, the smallest
constexpr double kWorthwhile = 0.995;  ///< of the step as it is

/// Finds moves; nothing is simulated here.
class Planner {
 public:
  Planner(const Question& q, const Mapper& mapper, const Strategy& strategy)
      : q_(q), mapper_(mapper), tiers_(mapper.tiers()), strategy_(strategy), free_(free_nodes(q)) {
    tenant_of_.assign(free_.size(), kNobody);
    for (std::size_t t = 0; t < q.occupancy.jobs.size(); ++t) {
      const Tenant& tenant = q.occupancy.jobs[t];
      gpus_.push_back(gpus_of(q.cluster, tenant.nodes, tenant.gpus));
      for (const std::uint32_t node : nodes_of(q.cluster, gpus_.back())) tenant_of_[node] = t;
    }
    needed_ = static_cast<std::size_t>((strategy.gpus() + q.gpus_per_node - 1) / q.gpus_per_node);
  }

  /// Without two that are alike; those that move fewest GPUs first.
  [[nodiscard]] std::vector<Moves> plans() const {
    std::vector<Moves> all;
    std::set<std::set<std::size_t>> seen;
    const auto add = [&](std::optional<Moves> moves) {
      if (!moves || moves->empty()) return;
      std::set<std::size_t> who;
      for (const Move& move : *moves) who.insert(move.tenant);
      if (seen.insert(who).second) all.push_back(std::move(*moves));
    };
    for (const auto& [pod, leaves] : pods()) add(clearing(leaves));
    std::vector<std::size_t> smallest;
    for (std::size_t t = 0; t < gpus_.size(); ++t)
      if (!gpus_[t].empty()) smallest.push_back(t);
    std::ranges::stable_sort(smallest, {}, [&](std::size_t t) { return gpus_[t].size(); });
    if (smallest.size() > kMostAlone) smallest.resize(kMostAlone);
    const double before = smallest.empty() ? 0 : mapper_.searched(strategy_, q_.free).score.seconds;
    for (const std::size_t t : smallest) add(without(t, before));
    std::ranges::stable_sort(all, {}, [](const Moves& moves) {
      std::size_t gpus = 0;
      for (const Move& move : moves) gpus += move.from.size();
      return gpus;
    });
    if (all.size() > kMostPlans) all.resize(kMostPlans);
    return all;
  }

 private:
  static constexpr std::size_t kNobody = ~std::size_t{0};
  using Nodes = std::vector<std::uint32_t>;

  /// Nodes by pod and unit.
  [[nodiscard]] std::map<std::uint32_t, std::vector<Nodes>> pods() const {
    std::map<std::uint32_t, std::map<std::vector<std::uint32_t>, Nodes>> units;
    for (std::uint32_t n = 0; n < free_.size(); ++n)
      units[tiers_.nic(tiers_.first_nic(n)).pod][leaves_of(tiers_, n)].push_back(n);
    std::map<std::uint32_t, std::vector<Nodes>> pods;
    for (auto& [pod, members] : units)
      for (auto& [leaves, nodes] : members) pods[pod].push_back(std::move(nodes));
    return pods;
  }

  [[nodiscard]] std::size_t count(const Nodes& nodes, bool is_free) const {
    return static_cast<std::size_t>(std::ranges::count_if(nodes, [&](std::uint32_t n) {
      return is_free ? free_[n] : !free_[n] && tenant_of_[n] != kNobody;
    }));
  }

  /// Moves that clear as few leaves of a pod as hold the job, those with the fewest nodes in the
  /// way.
  [[nodiscard]] std::optional<Moves> clearing(std::vector<Nodes> units) const {
    std::ranges::stable_sort(units, {}, [&](const Nodes& u) { return count(u, false); });
    const auto holds = std::ranges::find_if(
        units, [&](const Nodes& u) { return count(u, true) + count(u, false) >= needed_; });
    std::set<std::uint32_t> region;
    std::size_t room = 0, free = 0;
    const auto take = [&](const Nodes& unit) {
      region.insert(unit.begin(), unit.end());
      room += count(unit, true) + count(unit, false);
      free += count(unit, true);
    };
    if (holds != units.end()) take(*holds);
    for (auto u = units.begin(); u != units.end() && room < needed_; ++u) take(*u);
    if (room < needed_ || free >= needed_) return std::nullopt;
    return moved(in_the_way(region, needed_ - free),
                 [&](Rank gpu) { return !region.contains(q_.cluster.node_of(gpu).value()); });
  }

  /// The smallest jobs that make room for `nodes` more in a region.
  [[nodiscard]] std::vector<std::size_t> in_the_way(const std::set<std::uint32_t>& region,
                                                    std::size_t nodes) const {
    std::map<std::size_t, std::size_t> here;
    for (const std::uint32_t n : region)
      if (tenant_of_[n] != kNobody) ++here[tenant_of_[n]];
    std::vector<std::size_t> order;
    for (const auto& [tenant, count] : here) order.push_back(tenant);
    std::ranges::stable_sort(order, {}, [&](std::size_t t) { return gpus_[t].size(); });
    std::size_t cleared = 0, taken = 0;
    while (cleared < nodes && taken < order.size()) cleared += here[order[taken++]];
    order.resize(taken);
    return order;
  }

  /// The jobs on free GPUs that `may` be taken, largest first; nothing where they have no room.
  template <class May>
  [[nodiscard]] std::optional<Moves> moved(std::vector<std::size_t> tenants, May may) const {
    std::vector<Rank> rest;
    std::ranges::copy_if(q_.free, std::back_inserter(rest), may);
    std::ranges::sort(rest);
    std::ranges::stable_sort(tenants, std::ranges::greater{},
                             [&](std::size_t t) { return gpus_[t].size(); });
    Moves moves;
    for (const std::size_t t : tenants) {
      const std::size_t count = gpus_[t].size();
      if (rest.size() < count) return std::nullopt;
      const std::vector<Rank> order = placement::packed(tiers_, rest, count);
      const auto end = order.begin() + static_cast<std::ptrdiff_t>(count);
      moves.push_back({t, gpus_[t], {order.begin(), end}});
      rest.assign(end, order.end());
      std::ranges::sort(rest);
    }
    return moves;
  }

  /// One job out of the way, where the busiest links say that it matters.
  [[nodiscard]] std::optional<Moves> without(std::size_t t, double before) const {
    std::vector<Rank> free = q_.free;
    free.insert(free.end(), gpus_[t].begin(), gpus_[t].end());
    std::ranges::sort(free);
    const placement::MappingChoice choice = mapper_.searched(strategy_, free);
    if (choice.score.seconds > 0.99 * before) return std::nullopt;
    const std::set<Rank> used(choice.mapping.gpus.begin(), choice.mapping.gpus.end());
    return moved({t}, [&](Rank gpu) { return !used.contains(gpu); });
  }

  const Question& q_;
  const Mapper& mapper_;
  const Tiers& tiers_;
  const Strategy& strategy_;
  std::vector<bool> free_;
  std::vector<std::size_t> tenant_of_;
  std::vector<std::vector<Rank>> gpus_;
  std::size_t needed_ = 0;
};

struct Row {
  int plan = 0;
  std::string job, from, to, units;
  double before = 0, after = 0;
  std::optional<double> pays;
};

constexpr ColumnStyle kThousandths{.decimals = 3};
constexpr ColumnStyle kTenths{.decimals = 1};

constexpr std::array<Column<Row>, 9> kColumns{{
    {"plan", [](const Row& r) -> RowValue { return std::int64_t{r.plan}; }},
    {"move", [](const Row& r) -> RowValue { return r.job; }},
    {"from_nodes", [](const Row& r) -> RowValue { return r.from; }},
    {"to_nodes", [](const Row& r) -> RowValue { return r.to; }},
    {"its_units", [](const Row& r) -> RowValue { return r.units; }},
    {"step_s", [](const Row& r) -> RowValue { return r.before; }, kThousandths},
    {"step_after_s", [](const Row& r) -> RowValue { return r.after; }, kThousandths},
    {"gain_pct", [](const Row& r) -> RowValue { return 100 * (1 - r.after / r.before); }, kTenths},
    {"pays_after_s", [](const Row& r) { return r.pays ? RowValue(*r.pays) : RowValue(); }, kTenths},
}};

Occupancy after_moves(Occupancy occupancy, const Moves& moves) {
  for (const Move& move : moves) {
    Tenant& tenant = occupancy.jobs[move.tenant];
    tenant.nodes.clear();
    tenant.gpus = rank_list_text({move.to});
  }
  return occupancy;
}

/// GPU seconds that the moved jobs stand still.
double lost_gpu_seconds(const PlaceFlags& flags, const Question& q, const Moves& moves) {
  const double nics = placement::node_fabric(q.cluster).nics.bytes_per_second();
  double lost = 0;
  for (const Move& move : moves) {
    const auto state = static_cast<double>(q.occupancy.jobs[move.tenant].state.count());
    const auto nodes = static_cast<double>(nodes_of(q.cluster, move.to).size());
    const double copying = nics > 0 ? state / (nics * nodes) : 0;
    lost += static_cast<double>(move.from.size()) * (restart_time(flags).seconds() + copying);
  }
  return lost;
}

}  // namespace

RowTable tabulate_repacking(const PlaceFlags& flags, Question& q, const Strategy& strategy) {
  std::vector<Row> rows;
  const Mapper mapper(q, true);
  const std::vector<Moves> plans = Planner(q, mapper, strategy).plans();
  const double before = plans.empty() ? 0 : settle(flags, q, strategy).step().seconds();
  int number = 0;
  for (const Moves& moves : plans) {
    Question then = with_occupancy(q, after_moves(q.occupancy, moves), strategy.gpus());
    const double after = settle(flags, then, strategy).step().seconds();
    if (after > kWorthwhile * before) continue;
    ++number;
    const double lost = lost_gpu_seconds(flags, q, moves);
    const double gained = strategy.gpus() * (1 - after / before);
    for (const Move& move : moves)
      rows.push_back({.plan = number,
                      .job = q.occupancy.jobs[move.tenant].name,
                      .from = node_list(q.cluster, move.from),
                      .to = node_list(q.cluster, move.to),
                      .units = fmt::format("{} -> {}", count_units(mapper.tiers(), move.from),
                                           count_units(mapper.tiers(), move.to)),
                      .before = before,
                      .after = after,
                      .pays = lost > 0 ? std::optional(lost / gained) : std::nullopt});
  }
  return tabulate(std::span<const Column<Row>>(kColumns), std::span<const Row>(rows));
}

}  // namespace railyard::apps
