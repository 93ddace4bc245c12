#include "placement/jobs/repacking.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "placement/jobs/leaf_groups.hpp"
#include "placement/jobs/taken_gpus.hpp"
#include "placement/mapping/node_blocks.hpp"
#include "topology/cluster/rank_list.hpp"

namespace railyard::placement {
namespace {

constexpr std::size_t kMostPlans = 4;  ///< that are simulated
constexpr std::size_t kMostAlone = 8;  ///< jobs of which each is moved alone, the smallest
constexpr double kWorthwhile = 0.995;  ///< a plan shortens the step to at most this part

/// Finds the plans of move_plans().
class Planner {
 public:
  Planner(const PlaceProblem& problem, const Mapper& mapper, const Strategy& strategy)
      : problem_(problem),
        mapper_(mapper),
        tiers_(mapper.tiers()),
        strategy_(strategy),
        free_(free_nodes(problem)) {
    tenant_of_.assign(free_.size(), kNobody);
    for (std::size_t t = 0; t < problem.occupancy.jobs.size(); ++t) {
      const Tenant& tenant = problem.occupancy.jobs[t];
      gpus_.push_back(gpus_of(problem.cluster, tenant.nodes, tenant.gpus));
      for (const std::uint32_t node : nodes_of(problem.cluster, gpus_.back())) tenant_of_[node] = t;
    }
    needed_ = static_cast<std::size_t>((strategy.gpus() + problem.gpus_per_node - 1) /
                                       problem.gpus_per_node);
  }

  /// Plans that move different jobs, the fewest GPUs first.
  [[nodiscard]] std::vector<MovePlan> plans() const {
    std::vector<MovePlan> all;
    std::set<std::set<std::size_t>> seen;
    const auto add = [&](std::optional<MovePlan> moves) {
      if (!moves || moves->empty()) return;
      std::set<std::size_t> who;
      for (const JobMove& move : *moves) who.insert(move.tenant);
      if (seen.insert(who).second) all.push_back(std::move(*moves));
    };
    for (const auto& [pod, leaves] : pods()) add(clearing(leaves));
    std::vector<std::size_t> smallest;
    for (std::size_t t = 0; t < gpus_.size(); ++t)
      if (!gpus_[t].empty()) smallest.push_back(t);
    std::ranges::stable_sort(smallest, {}, [&](std::size_t t) { return gpus_[t].size(); });
    if (smallest.size() > kMostAlone) smallest.resize(kMostAlone);
    const double before =
        smallest.empty() ? 0 : mapper_.searched(strategy_, problem_.free).score.seconds;
    for (const std::size_t t : smallest) add(without(t, before));
    std::ranges::stable_sort(all, {}, [](const MovePlan& moves) {
      std::size_t gpus = 0;
      for (const JobMove& move : moves) gpus += move.from.size();
      return gpus;
    });
    if (all.size() > kMostPlans) all.resize(kMostPlans);
    return all;
  }

 private:
  static constexpr std::size_t kNobody = ~std::size_t{0};
  using Nodes = std::vector<std::uint32_t>;

  /// Nodes by pod and leaf group.
  [[nodiscard]] std::map<std::uint32_t, std::vector<Nodes>> pods() const {
    std::map<std::uint32_t, std::map<std::vector<std::uint32_t>, Nodes>> groups;
    for (std::uint32_t n = 0; n < free_.size(); ++n)
      groups[tiers_.nic(tiers_.first_nic(n)).pod][leaves_of(tiers_, n)].push_back(n);
    std::map<std::uint32_t, std::vector<Nodes>> pods;
    for (auto& [pod, members] : groups)
      for (auto& [leaves, nodes] : members) pods[pod].push_back(std::move(nodes));
    return pods;
  }

  [[nodiscard]] std::size_t count(const Nodes& nodes, bool is_free) const {
    return static_cast<std::size_t>(std::ranges::count_if(nodes, [&](std::uint32_t n) {
      return is_free ? free_[n] : !free_[n] && tenant_of_[n] != kNobody;
    }));
  }

  /// Moves that free one leaf group of a pod that is large enough for the job, or the fewest groups
  /// that are large enough together; groups with the fewest nodes in use come first.
  [[nodiscard]] std::optional<MovePlan> clearing(std::vector<Nodes> groups) const {
    std::ranges::stable_sort(groups, {}, [&](const Nodes& u) { return count(u, false); });
    const auto holds = std::ranges::find_if(
        groups, [&](const Nodes& u) { return count(u, true) + count(u, false) >= needed_; });
    std::set<std::uint32_t> region;
    std::size_t room = 0, free = 0;
    const auto take = [&](const Nodes& group) {
      region.insert(group.begin(), group.end());
      room += count(group, true) + count(group, false);
      free += count(group, true);
    };
    if (holds != groups.end()) take(*holds);
    for (auto u = groups.begin(); u != groups.end() && room < needed_; ++u) take(*u);
    if (room < needed_ || free >= needed_) return std::nullopt;
    return moved(in_the_way(region, needed_ - free),
                 [&](Rank gpu) { return !region.contains(problem_.cluster.node_of(gpu).value()); });
  }

  /// The smallest jobs of a region whose moves free at least `nodes` nodes of it.
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

  /// Moves of jobs to free GPUs that `may` be used, the largest job first; nothing where one does
  /// not fit.
  template <class May>
  [[nodiscard]] std::optional<MovePlan> moved(std::vector<std::size_t> tenants, May may) const {
    std::vector<Rank> rest;
    std::ranges::copy_if(problem_.free, std::back_inserter(rest), may);
    std::ranges::sort(rest);
    std::ranges::stable_sort(tenants, std::ranges::greater{},
                             [&](std::size_t t) { return gpus_[t].size(); });
    MovePlan moves;
    for (const std::size_t t : tenants) {
      const std::size_t count = gpus_[t].size();
      if (rest.size() < count) return std::nullopt;
      const std::vector<Rank> order = packed(tiers_, rest, count);
      const auto end = order.begin() + static_cast<std::ptrdiff_t>(count);
      moves.push_back({t, gpus_[t], {order.begin(), end}});
      rest.assign(end, order.end());
      std::ranges::sort(rest);
    }
    return moves;
  }

  /// The move of one job, where the busiest links without it are at least 1 % less busy.
  [[nodiscard]] std::optional<MovePlan> without(std::size_t t, double before) const {
    std::vector<Rank> free = problem_.free;
    free.insert(free.end(), gpus_[t].begin(), gpus_[t].end());
    std::ranges::sort(free);
    const MappingChoice choice = mapper_.searched(strategy_, free);
    if (choice.score.seconds > 0.99 * before) return std::nullopt;
    const std::set<Rank> used(choice.mapping.gpus.begin(), choice.mapping.gpus.end());
    return moved({t}, [&](Rank gpu) { return !used.contains(gpu); });
  }

  const PlaceProblem& problem_;
  const Mapper& mapper_;
  const Tiers& tiers_;
  const Strategy& strategy_;
  std::vector<bool> free_;
  std::vector<std::size_t> tenant_of_;
  std::vector<std::vector<Rank>> gpus_;
  std::size_t needed_ = 0;
};

}  // namespace

std::vector<MovePlan> move_plans(const PlaceProblem& problem, const Mapper& mapper,
                                 const Strategy& strategy) {
  return Planner(problem, mapper, strategy).plans();
}

Occupancy after_moves(Occupancy occupancy, const MovePlan& plan) {
  for (const JobMove& move : plan) {
    Tenant& tenant = occupancy.jobs[move.tenant];
    tenant.nodes.clear();
    tenant.gpus = topology::rank_list_text(move.to);
  }
  return occupancy;
}

double lost_gpu_seconds(const PlaceProblem& problem, const MovePlan& plan, Time restart) {
  const double nics = problem.types.front().fabric.nics.bytes_per_second();
  double lost = 0;
  for (const JobMove& move : plan) {
    const auto state = static_cast<double>(problem.occupancy.jobs[move.tenant].state.count());
    const auto nodes = static_cast<double>(nodes_of(problem.cluster, move.to).size());
    const double copying = nics > 0 ? state / (nics * nodes) : 0;
    lost += static_cast<double>(move.from.size()) * (restart.seconds() + copying);
  }
  return lost;
}

std::vector<Repacking> repackings(const PlaceProblem& problem, const EngineFactory& engines,
                                  const Strategy& strategy, Time restart) {
  const Mapper mapper(problem, true);
  const std::vector<MovePlan> plans = move_plans(problem, mapper, strategy);
  if (plans.empty()) return {};
  const double before = choose_nodes(problem, engines, strategy).step().seconds();
  std::vector<Repacking> worthwhile;
  for (const MovePlan& plan : plans) {
    const PlaceProblem then =
        with_occupancy(problem, after_moves(problem.occupancy, plan), strategy.gpus());
    const double after = choose_nodes(then, engines, strategy).step().seconds();
    if (after > kWorthwhile * before) continue;
    const double lost = lost_gpu_seconds(problem, plan, restart);
    const double gained = strategy.gpus() * (1 - after / before);
    worthwhile.push_back({.moves = plan,
                          .step_before = before,
                          .step_after = after,
                          .payback = lost > 0 ? std::optional(lost / gained) : std::nullopt});
  }
  return worthwhile;
}

}  // namespace railyard::placement
