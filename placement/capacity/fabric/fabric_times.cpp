#include "placement/capacity/fabric/fabric_times.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "core/diagnostic.hpp"
#include "placement/jobs/mapper.hpp"

namespace railyard::placement {
namespace {

using topology::Cluster;
using topology::DeviceKind;
using topology::LinkKind;

/// A device of the fabric, and the links (both directions) that fail with it.
struct Failure {
  std::string device{};
  std::vector<LinkId> links{};
};

Failure first_switch(const Cluster& cluster, DeviceKind kind) {
  for (std::size_t i = 0; i < cluster.device_count(); ++i) {
    if (cluster.device(DeviceId(i)).kind != kind) continue;
    Failure failure{.device = cluster.name(DeviceId(i))};
    for (const LinkId id : cluster.out_links(DeviceId(i))) {
      failure.links.push_back(id);
      failure.links.push_back(cluster.link(id).reverse);
    }
    return failure;
  }
  return {};
}

Failure first_cable(const Cluster& cluster) {
  for (const LinkKind kind : {LinkKind::fabric, LinkKind::port}) {
    for (std::size_t i = 0; i < cluster.link_count(); ++i) {
      const topology::Link& link = cluster.link(LinkId(i));
      if (link.kind == kind)
        return {.device = cluster.name(LinkId(i)), .links = {LinkId(i), link.reverse}};
    }
  }
  return {};
}

/// Number of nodes with a NIC that has no working link.
int nodes_cut_off(const Cluster& cluster, const std::vector<LinkId>& failed) {
  std::vector<bool> is_failed(cluster.link_count(), false);
  for (const LinkId id : failed) is_failed[id.index()] = true;
  std::vector<bool> is_cut_off(cluster.node_count(), false);
  for (const LinkId id : failed) {
    const DeviceId nic = cluster.link(id).from;
    if (cluster.device(nic).kind != DeviceKind::nic) continue;
    const auto lives = [&](LinkId out) {
      return cluster.link(out).kind == LinkKind::port && !is_failed[out.index()];
    };
    if (std::ranges::none_of(cluster.out_links(nic), lives))
      is_cut_off[cluster.device(nic).node.index()] = true;
  }
  return static_cast<int>(std::ranges::count(is_cut_off, true));
}

NodeChoice run_step(const PlaceProblem& problem, const TimesRequest& request) {
  const Mapping mapping = ordered_mapping(*request.strategy, problem.free(), problem.order);
  return fastest_of(problem, request.engines, *request.strategy, {mapping});
}

FailedStep run_failed(PlaceProblem& problem, const TimesRequest& request, Failure failure) {
  FailedStep failed{.device = std::move(failure.device)};
  if (failed.device.empty()) return failed;
  failed.nodes_cut_off = nodes_cut_off(problem.cluster, failure.links);
  if (failed.nodes_cut_off > 0 || request.strategy == nullptr) return failed;
  auto before = problem.faults;
  problem.faults.push_back(
      {.at = Time(), .faults = {.failed = std::move(failure.links), .degraded = {}}});
  const NodeChoice choice = run_step(problem, request);
  if (choice.run.simulated) failed.step = choice.run.simulated->total;
  problem.faults = std::move(before);
  return failed;
}

std::optional<Time> all_reduce_time(const PlaceProblem& problem, const TimesRequest& request) {
  const auto engine = request.engines(problem);
  const auto group = std::make_shared<const collectives::Group>(problem.cluster, problem.free());
  if (group->size() < 2) return {};
  try {
    const collectives::Schedule schedule = engine->schedule(
        group, {.kind = collectives::Kind::all_reduce, .bytes = request.all_reduce_bytes});
    const collectives::Task task{.schedule = &schedule, .start = Time(), .name = {}};
    return engine->executor.run({&task, 1}).tasks.front().finish;
  } catch (const InputError&) {  // no route: nodes without a fabric between them
    return {};
  }
}

}  // namespace

FabricTimes time_on_fabric(PlaceProblem& problem, const TimesRequest& request) {
  FabricTimes times{.all_reduce = all_reduce_time(problem, request)};
  if (request.strategy != nullptr) {
    const NodeChoice healthy = run_step(problem, request);
    times.why_not = healthy.run.why_not;
    if (healthy.run.simulated) {
      times.step = healthy.run.simulated->total;
      times.exposed = healthy.run.simulated->exposed();
    }
  }
  times.spine = run_failed(problem, request, first_switch(problem.cluster, DeviceKind::spine));
  times.leaf = run_failed(problem, request, first_switch(problem.cluster, DeviceKind::leaf));
  times.cable = run_failed(problem, request, first_cable(problem.cluster));
  return times;
}

}  // namespace railyard::placement
