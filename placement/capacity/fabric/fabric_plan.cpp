#include "placement/capacity/fabric/fabric_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/config/enum_names.hpp"
#include "core/diagnostic.hpp"
#include "placement/search/search.hpp"
#include "topology/cluster/bisection.hpp"
#include "topology/cluster/summary.hpp"
#include "topology/cluster/topology_names.hpp"
#include "topology/fabric/reference_values.hpp"

namespace railyard::placement {
namespace {

using topology::DesignRequest;
using topology::FabricDesign;
using topology::FabricKind;

bool is_oversubscribable(FabricKind kind) {
  return kind != FabricKind::rail_only && kind != FabricKind::fat_tree;
}

/// Oversubscription is at the leaves with two tiers, at the spines with three.
DesignRequest with_tiers(DesignRequest request, int tiers, double oversubscription) {
  request.tiers = tiers;
  (tiers == 2 ? request.leaf_oversubscription : request.spine_oversubscription) = oversubscription;
  return request;
}

/// The designs to try, those with fewer tiers first.
std::vector<DesignRequest> requests_of(FabricKind kind, double oversubscription,
                                       const FabricPlanRequest& plan, int nodes) {
  DesignRequest request{.kind = kind,
                        .demand = topology::demand_of(plan.node, nodes),
                        .models = {plan.model, plan.model, plan.model}};
  switch (kind) {
    case FabricKind::leaf_spine: return {with_tiers(request, 2, oversubscription)};
    case FabricKind::clos3: return {with_tiers(request, 3, oversubscription)};
    case FabricKind::rail_clos:
    case FabricKind::dual_plane:
      return {with_tiers(request, 2, oversubscription), with_tiers(request, 3, oversubscription)};
    default: return {request};
  }
}

class Planner {
 public:
  Planner(const FabricPlanRequest& request, const PlanProgress& progress)
      : request_(request), progress_(progress) {}

  FabricPlan run() && {
    check();
    for (const FabricKind kind : request_.kinds)
      for (const double ratio : request_.oversubscriptions)
        if (ratio == request_.oversubscriptions.front() || is_oversubscribable(kind))
          add(kind, is_oversubscribable(kind) ? ratio : 1);
    plan_.best = best_at(&BillTotal::price);
    plan_.best_if_cheap = best_at(&BillTotal::low);
    plan_.best_if_dear = best_at(&BillTotal::high);
    return std::move(plan_);
  }

 private:
  void check() {
    const topology::FabricDemand demand = topology::demand_of(request_.node, 1);
    if (demand.nics == 0)
      throw InputError("", "--node", fmt::format("{} has no NIC", request_.node.name),
                       "choose a node with NICs");
    const int per_node = topology::NodeShape(request_.node).gpu_count();
    if (request_.gpus % per_node != 0)
      throw InputError("", "--gpus",
                       fmt::format("{} GPUs are not a whole number of nodes with {} GPUs",
                                   request_.gpus, per_node),
                       fmt::format("{} or {}", request_.gpus / per_node * per_node,
                                   (request_.gpus / per_node + 1) * per_node));
    plan_.gpus = request_.gpus;
    plan_.nodes = request_.gpus / per_node;
    plan_.strategy = request_.strategy;
  }

  void add(FabricKind kind, double oversubscription) {
    FabricOption option{.kind = kind, .oversubscription = oversubscription};
    if (progress_) progress_(name_of(option));
    const auto requests = requests_of(kind, oversubscription, request_, plan_.nodes);
    for (const DesignRequest& request : requests) {
      option.design = topology::smallest_design(request);
      if (option.design) break;
      option.most_nodes = std::max(option.most_nodes, topology::most_nodes(request));
    }
    if (option.design) evaluate(option);
    plan_.options.push_back(std::move(option));
  }

  void evaluate(FabricOption& option) {
    const auto demand = topology::demand_of(request_.node, plan_.nodes);
    option.bill = bill_of_materials({.design = *option.design,
                                     .demand = demand,
                                     .switch_item = request_.switch_item,
                                     .room = request_.room},
                                    request_.prices);
    option.total = total_of(option.bill);
    topology::Cluster cluster = topology::build_cluster(spec_of(*option.design));
    option.bisection = topology::bisection(cluster).bandwidth;
    const topology::Summary summary = topology::summarise(cluster);
    if (summary.same_rail) option.same_rail_switches = summary.same_rail->farthest;
    if (summary.cross_rail) option.cross_rail_switches = summary.cross_rail->farthest;
    time(option, std::move(cluster));
    option.cost_of_step = cost_of_step(option, option.total.price);
  }

  topology::ClusterSpec spec_of(const FabricDesign& design) const {
    topology::ClusterSpec spec;
    spec.name = request_.node.name;
    spec.node = request_.node.name;
    spec.nodes = plan_.nodes;
    spec.node_specs = {request_.node};
    spec.node_counts = {plan_.nodes};
    spec.fabric = design.fabric;
    spec.fabric.transport = request_.transport;
    std::vector<std::string> notes;  // unused: the description is complete
    topology::set_reference_values(spec.fabric, notes);
    if (request_.routing) spec.fabric.routing.policy = *request_.routing;
    spec.fabric.routing.seed = request_.seed;
    // A NIC with two ports needs a queue pair on each.
    spec.fabric.routing.qps = std::max(spec.fabric.routing.qps, design.planes);
    return spec;
  }

  void time(FabricOption& option, topology::Cluster cluster) {
    PlaceProblem problem = problem_on(std::move(cluster), request_.job.value_or(Job{}));
    if (request_.job && !plan_.strategy && !searched_) search_on(problem);
    option.times =
        time_on_fabric(problem, {.engines = request_.engines,
                                 .all_reduce_bytes = request_.all_reduce_bytes,
                                 .strategy = plan_.strategy ? &*plan_.strategy : nullptr});
    if (!option.times.why_not.empty())
      plan_.notes.push_back(
          fmt::format("{}: the step was not simulated: {}", name_of(option), option.times.why_not));
  }

  void search_on(const PlaceProblem& problem) {
    searched_ = true;
    const SearchResult found =
        search(problem.context(), {.gpus = problem.gpus(), .top = 1, .keep_going = {}});
    if (!found.best.empty())
      plan_.strategy = found.best.front().strategy;
    else
      plan_.notes.push_back(fmt::format(
          "no strategy of {} fits on {} GPUs, so no step is timed (choose another --job)",
          request_.job->name, request_.gpus));
  }

  /// (price of GPUs + `price` of the network) x step.
  std::optional<double> cost_of_step(const FabricOption& option, double price) const {
    if (!option.times.step) return std::nullopt;
    return (request_.gpu_price * plan_.gpus + price) * option.times.step->seconds();
  }

  /// The fabric to buy at these prices of the network; nothing if none can be built.
  std::optional<std::size_t> best_at(double BillTotal::*price) const {
    const auto is_better = [&](const FabricOption& a, const FabricOption& b) {
      const double a_price = a.total.*price, b_price = b.total.*price;
      const auto a_cost = cost_of_step(a, a_price), b_cost = cost_of_step(b, b_price);
      if (a_cost.has_value() != b_cost.has_value()) return a_cost.has_value();
      if (a_cost && *a_cost != *b_cost) return *a_cost < *b_cost;
      // Without a job the price decides; at equal prices, an all_reduce that is at least 1 %
      // faster.
      constexpr double kClearly = 0.99;
      if (a_price != b_price || !a.times.all_reduce || !b.times.all_reduce)
        return a_price < b_price;
      return a.times.all_reduce->seconds() < kClearly * b.times.all_reduce->seconds();
    };
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < plan_.options.size(); ++i) {
      if (!plan_.options[i].design) continue;
      if (!best || is_better(plan_.options[i], plan_.options[*best])) best = i;
    }
    return best;
  }

  const FabricPlanRequest& request_;
  const PlanProgress& progress_;
  FabricPlan plan_;
  bool searched_ = false;
};

}  // namespace

std::string name_of(const FabricOption& option) {
  return fmt::format("{} {:g}:1", core::enum_name(option.kind), option.oversubscription);
}

FabricPlan plan_fabric(const FabricPlanRequest& request, const PlanProgress& progress) {
  return Planner(request, progress).run();
}

}  // namespace railyard::placement
