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

constexpr std::size_t kMostPlans = 4;  ///< maximum number of simulated plans
/// Number of the smallest jobs for which a move of only that job is tried.
constexpr std::size_t kMostAlone = 8;
constexpr double kWorthwhile = 0.995;  ///< a plan must shorten the step to this fraction or less

/// Implements move_plans().
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
      const RunningJob& tenant = problem.occupancy.jobs[t];
      gpus_.push_back(gpus_of(problem.cluster, tenant.nodes, tenant.gpus));
      for (const std::uint32_t node : nodes_of(problem.cluster, gpus_.back())) tenant_of_[node] = t;
    }
    const std::vector<int> used = gpus_used(strategy, problem.types.size());
    for (std::size_t t = 0; t < used.size(); ++t) {
      const int node = problem.types[t].gpus_per_node();
      needed_.push_back(static_cast<std::size_t>((used[t] + node - 1) / node));
    }
  }

  /// Plans without duplicates, those that move the fewest GPUs first.
  [[nodiscard]] std::vector<MovePlan> plans() const {
    std::vector<MovePlan> all;
    std::set<std::set<std::size_t>> seen;
    const auto add = [&](std::optional<MovePlan> moves) {
      if (!moves || moves->empty()) return;
      std::set<std::size_t> who;
      for (const JobMove& move : *moves) who.insert(move.tenant);
      if (seen.insert(who).second) all.push_back(std::move(*moves));
    };
    for (std::size_t t = 0; t < needed_.size(); ++t)
      for (const auto& [pod, leaves] : pods(problem_.types[t].shape))
        add(clearing(leaves, needed_[t]));
    std::vector<std::size_t> smallest;
    for (std::size_t t = 0; t < gpus_.size(); ++t)
      if (!gpus_[t].empty()) smallest.push_back(t);
    std::ranges::stable_sort(smallest, {}, [&](std::size_t t) { return gpus_[t].size(); });
    if (smallest.size() > kMostAlone) smallest.resize(kMostAlone);
    const double before =
        smallest.empty() ? 0 : mapper_.searched(strategy_, free_gpus(problem_.types)).score.seconds;
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

  [[nodiscard]] std::uint32_t shape_of(NodeId node) const {
    return problem_.cluster.node(node).shape;
  }

  /// The nodes of a shape, by pod and leaf group.
  [[nodiscard]] std::map<std::uint32_t, std::vector<Nodes>> pods(std::uint32_t shape) const {
    std::map<std::uint32_t, std::map<std::vector<std::uint32_t>, Nodes>> groups;
    for (std::uint32_t n = 0; n < free_.size(); ++n)
      if (shape_of(NodeId(n)) == shape)
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

  /// Moves that free one leaf group of a pod, if one has enough nodes; otherwise the fewest groups
  /// that together have enough. Groups with the fewest nodes in use come first.
  [[nodiscard]] std::optional<MovePlan> clearing(std::vector<Nodes> groups,
                                                 std::size_t needed) const {
    std::ranges::stable_sort(groups, {}, [&](const Nodes& u) { return count(u, false); });
    const auto holds = std::ranges::find_if(
        groups, [&](const Nodes& u) { return count(u, true) + count(u, false) >= needed; });
    std::set<std::uint32_t> region;
    std::size_t room = 0, free = 0;
    const auto take = [&](const Nodes& group) {
      region.insert(group.begin(), group.end());
      room += count(group, true) + count(group, false);
      free += count(group, true);
    };
    if (holds != groups.end()) take(*holds);
    for (auto u = groups.begin(); u != groups.end() && room < needed; ++u) take(*u);
    if (room < needed || free >= needed) return std::nullopt;
    return moved(smallest_jobs(region, needed - free),
                 [&](Rank gpu) { return !region.contains(problem_.cluster.node_of(gpu).value()); });
  }

  /// The smallest jobs of a region whose moves free at least `nodes` nodes of it.
  [[nodiscard]] std::vector<std::size_t> smallest_jobs(const std::set<std::uint32_t>& region,
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

  /// Moves of jobs to free GPUs of their types, only where `may` allows it, the largest job first.
  /// Empty if one does not fit.
  template <class May>
  [[nodiscard]] std::optional<MovePlan> moved(std::vector<std::size_t> tenants, May may) const {
    std::vector<std::vector<Rank>> rest;
    for (const GpuType& type : problem_.types) {
      std::ranges::copy_if(type.free, std::back_inserter(rest.emplace_back()), may);
      std::ranges::sort(rest.back());
    }
    std::ranges::stable_sort(tenants, std::ranges::greater{},
                             [&](std::size_t t) { return gpus_[t].size(); });
    MovePlan moves;
    for (const std::size_t t : tenants) {
      const std::vector<std::vector<Rank>> own = by_type(gpus_[t]);
      JobMove move{.tenant = t, .from = gpus_[t], .to = {}};
      for (std::size_t type = 0; type < own.size(); ++type) {
        const std::size_t count = own[type].size();
        if (rest[type].size() < count) return std::nullopt;
        if (count == 0) continue;
        const std::vector<Rank> order = packed(tiers_, rest[type], count);
        const auto end = order.begin() + static_cast<std::ptrdiff_t>(count);
        move.to.insert(move.to.end(), order.begin(), end);
        rest[type].assign(end, order.end());
        std::ranges::sort(rest[type]);
      }
      if (move.to.size() < move.from.size()) return std::nullopt;  // on a type that the job lacks
      moves.push_back(std::move(move));
    }
    return moves;
  }

  /// GPUs by the problem's types, without GPUs of other types.
  [[nodiscard]] std::vector<std::vector<Rank>> by_type(std::span<const Rank> gpus) const {
    std::vector<std::vector<Rank>> lists;
    for (const GpuType& type : problem_.types)
      std::ranges::copy_if(gpus, std::back_inserter(lists.emplace_back()), [&](Rank gpu) {
        return shape_of(problem_.cluster.node_of(gpu)) == type.shape;
      });
    return lists;
  }

  /// The move of one job, if the busiest links are at least 1 % less busy without the job.
  [[nodiscard]] std::optional<MovePlan> without(std::size_t t, double before) const {
    std::vector<std::vector<Rank>> free = by_type(gpus_[t]);
    for (std::size_t type = 0; type < free.size(); ++type) {
      const std::vector<Rank>& now = problem_.types[type].free;
      free[type].insert(free[type].end(), now.begin(), now.end());
      std::ranges::sort(free[type]);
    }
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
  std::vector<std::size_t> needed_;  ///< nodes, by type
};

}  // namespace

std::vector<MovePlan> move_plans(const PlaceProblem& problem, const Mapper& mapper,
                                 const Strategy& strategy) {
  return Planner(problem, mapper, strategy).plans();
}

Occupancy after_moves(Occupancy occupancy, const MovePlan& plan) {
  for (const JobMove& move : plan) {
    RunningJob& tenant = occupancy.jobs[move.tenant];
    tenant.nodes.clear();
    tenant.gpus = topology::rank_list_text(move.to);
  }
  return occupancy;
}

double lost_gpu_seconds(const PlaceProblem& problem, const MovePlan& plan, Time restart) {
  double lost = 0;
  for (const JobMove& move : plan) {
    const auto state = static_cast<double>(problem.occupancy.jobs[move.tenant].state.count());
    double nics = 0;  // bandwidth of the NICs of all its nodes
    for (const std::uint32_t node : nodes_of(problem.cluster, move.to))
      if (const GpuType* type = find_type(problem.types, problem.cluster.node(NodeId(node)).shape))
        nics += type->fabric.nics.bytes_per_second();
    const double copying = nics > 0 ? state / nics : 0;
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
  const std::vector<int> gpus = gpus_used(strategy, problem.types.size());
  std::vector<Repacking> worthwhile;
  for (const MovePlan& plan : plans) {
    const PlaceProblem then = with_occupancy(problem, after_moves(problem.occupancy, plan), gpus);
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
