#include "placement/capacity/training/grey_failures.hpp"

#include <algorithm>
#include <functional>

#include "core/diagnostic.hpp"
#include "placement/jobs/mapper.hpp"

namespace railyard::placement {
namespace {

using topology::LinkKind;

/// The step of a strategy with its collectives simulated. Throws InputError where they cannot be.
Time simulated_step(const PlaceProblem& problem, const Strategy& strategy,
                    const EngineFactory& engines) {
  const auto engine = engines(problem);
  const CostContext context = problem.context();
  const Mapper mapper(problem, false);
  const std::vector<Scored> one{score(context, strategy)};
  const auto found =
      verify_search({.context = context,
                     .engine = *engine,
                     .mappings = [&](const Strategy& s) { return mapper.mappings(s); }},
                    one);
  if (!found.front().simulated) throw InputError("", "", found.front().why_not);
  return found.front().simulated->total;
}

/// Both directions of the first link of a kind that `matches`.
std::vector<LinkId> first_cable(const topology::Cluster& cluster, LinkKind kind,
                                const std::function<bool(const topology::Link&)>& matches) {
  const auto links = cluster.links();
  for (std::size_t l = 0; l < links.size(); ++l) {
    if (links[l].kind != kind || !matches(links[l])) continue;
    for (std::size_t back = 0; back < links.size(); ++back)
      if (links[back].from == links[l].to && links[back].to == links[l].from)
        return {LinkId(l), LinkId(back)};
  }
  return {};
}

topology::TimedFault degraded(const std::vector<LinkId>& links, double factor) {
  topology::TimedFault fault{.at = Time(), .faults = {}};
  for (const LinkId link : links) fault.faults.degraded.push_back({link, factor});
  return fault;
}

/// Every GPU computes at a share of its speed.
PlaceProblem with_clock(PlaceProblem problem, double share) {
  for (GpuType& type : problem.types) type.gpu.spec.sustained_clock *= share;
  return problem;
}

}  // namespace

std::vector<GreyFailure> grey_failures(const PlaceProblem& problem, const Strategy& strategy,
                                       const EngineFactory& engines, double detection) {
  std::vector<GreyFailure> grey;
  const auto add = [&](std::string name, const std::function<Time()>& step, Time usual) {
    GreyFailure one{.name = std::move(name)};
    try {
      one.step = step();
      one.slowdown = one.step.seconds() / usual.seconds();
      one.gpu_hours_lost = std::max(0.0, 1 - 1 / one.slowdown) * detection / 3600 * strategy.gpus();
    } catch (const InputError& error) {
      one.why_not = error.diagnostics().front().message;
    }
    grey.push_back(std::move(one));
  };
  const Time by_formula = score(problem.context(), strategy).step.total;
  add(
      "a GPU 10 % slower",
      [&] { return score(with_clock(problem, 0.9).context(), strategy).step.total; }, by_formula);
  const topology::Cluster& cluster = problem.cluster;
  const auto port = first_cable(cluster, LinkKind::port, [&](const topology::Link& link) {
    return cluster.device(link.from).kind == topology::DeviceKind::nic;
  });
  const auto uplink = first_cable(cluster, LinkKind::fabric, [&](const topology::Link& link) {
    return cluster.device(link.from).kind == topology::DeviceKind::leaf;
  });
  Time usual;
  std::string why_not;
  try {
    usual = simulated_step(problem, strategy, engines);
  } catch (const InputError& error) {
    why_not = error.diagnostics().front().message;
  }
  const auto simulate = [&](std::string name, const std::vector<LinkId>& links,
                            const std::function<void(PlaceProblem&)>& change) {
    add(
        std::move(name),
        [&] {
          if (!why_not.empty()) throw InputError("", "", why_not);
          if (links.empty()) throw InputError("", "", "the cluster has no such link");
          PlaceProblem faulty = problem;
          change(faulty);
          return simulated_step(faulty, strategy, engines);
        },
        usual);
  };
  simulate("a NIC at half rate", port,
           [&](PlaceProblem& p) { p.faults.push_back(degraded(port, 0.5)); });
  simulate("a NIC that is down for 10 % of the time", port,
           [&](PlaceProblem& p) { p.faults.push_back(degraded(port, 0.9)); });
  simulate("a lost link between leaf and spine", uplink, [&](PlaceProblem& p) {
    p.faults.push_back({.at = Time(), .faults = {.failed = uplink, .degraded = {}}});
  });
  simulate("ECMP hashing in place of the fabric's routing", uplink,
           [](PlaceProblem& p) { p.routing.policy = topology::RoutingPolicy::ecmp; });
  return grey;
}

}  // namespace railyard::placement
