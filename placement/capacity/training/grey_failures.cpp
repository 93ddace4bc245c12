#include "placement/capacity/training/grey_failures.hpp"

#include <algorithm>
#include <cassert>

#include "collectives/workload/slow_rank.hpp"
#include "core/diagnostic.hpp"
#include "placement/jobs/mapper.hpp"
#include "placement/simulate/step_workload.hpp"

namespace railyard::placement {
namespace {

constexpr std::uint64_t kNoLimit = 0;  // limit on simulated operations

using collectives::Workload;
using topology::DeviceKind;
using topology::Link;
using topology::LinkKind;

using Links = std::vector<LinkId>;

/// Both directions of all ports of the first NIC.
Links first_nic(const topology::Cluster& cluster) {
  Links ports;
  const auto links = cluster.links();
  const auto is_nic = [&](DeviceId device) {
    return cluster.device(device).kind == DeviceKind::nic;
  };
  const auto first = std::ranges::find_if(
      links, [&](const Link& link) { return link.kind == LinkKind::port && is_nic(link.from); });
  if (first == links.end()) return ports;
  for (std::size_t l = 0; l < links.size(); ++l)
    if (links[l].kind == LinkKind::port &&
        (links[l].from == first->from || links[l].to == first->from))
      ports.emplace_back(l);
  return ports;
}

/// Both directions of the first link from a leaf up.
Links first_uplink(const topology::Cluster& cluster) {
  const auto links = cluster.links();
  for (std::size_t l = 0; l < links.size(); ++l) {
    if (links[l].kind != LinkKind::fabric || cluster.device(links[l].from).kind != DeviceKind::leaf)
      continue;
    for (std::size_t back = 0; back < links.size(); ++back)
      if (links[back].from == links[l].to && links[back].to == links[l].from)
        return {LinkId(l), LinkId(back)};
  }
  return {};
}

topology::TimedFault degraded(const Links& links, double factor) {
  topology::TimedFault fault{.at = Time(), .faults = {}};
  for (const LinkId link : links) fault.faults.degraded.push_back({link, factor});
  return fault;
}

bool is_ecmp(const PlaceProblem& problem) {
  return problem.routing.policy == topology::RoutingPolicy::ecmp;
}

/// Simulates the step of a strategy with each grey failure.
class GreySteps {
 public:
  GreySteps(const PlaceProblem& problem, const Strategy& strategy, const StepRunnerFactory& runners)
      : problem_(problem),
        runners_(runners),
        workload_(step_workload(problem.context(), strategy)),
        gpus_(Mapper(problem, false).mappings(strategy).front().gpus) {}

  [[nodiscard]] Time usual() const { return run(problem_, workload_); }

  [[nodiscard]] Time with_slow_gpu(double speed) const {
    const auto roles = workload_.roles();
    const collectives::WorkloadRunner runner = runners_(problem_);
    std::vector<std::size_t> some{0, roles.size() / 2, roles.size() - 1};
    some.erase(std::unique(some.begin(), some.end()), some.end());
    std::int64_t sum = 0;
    for (const std::size_t role : some)
      sum += runner(with_slow_rank(workload_, roles[role].ranks.front(), speed), gpus_, kNoLimit)
                 .total.picoseconds();
    return Time::picoseconds(sum / static_cast<std::int64_t>(some.size()));
  }

  [[nodiscard]] Time with_fault(const Links& links, topology::TimedFault fault) const {
    if (links.empty()) throw InputError("", "", "the cluster has no such link");
    PlaceProblem faulty = problem_;
    faulty.faults.push_back(std::move(fault));
    return run(faulty, workload_);
  }

  /// The step with ECMP. If the fabric uses ECMP already, every switch hashes with the same seed.
  [[nodiscard]] Time with_bad_ecmp() const {
    PlaceProblem other = problem_;
    other.routing.polarised = is_ecmp(problem_);
    other.routing.policy = topology::RoutingPolicy::ecmp;
    return run(other, workload_);
  }

 private:
  [[nodiscard]] Time run(const PlaceProblem& problem, const Workload& workload) const {
    return runners_(problem)(workload, gpus_, kNoLimit).total;
  }

  const PlaceProblem& problem_;
  const StepRunnerFactory& runners_;
  Workload workload_;
  std::vector<Rank> gpus_;
};

}  // namespace

std::vector<GreyFailure> grey_failures(const PlaceProblem& problem, const Strategy& strategy,
                                       const StepRunnerFactory& runners) {
  const GreySteps steps(problem, strategy, runners);
  const Time usual = steps.usual();
  std::vector<GreyFailure> grey;
  const auto add = [&](GreyFailure one, const std::function<Time()>& step) {
    one.usual = usual;
    try {
      one.step = step();
      one.slowdown = std::max(1.0, one.step.seconds() / usual.seconds());
    } catch (const InputError& error) {
      one.why_not = error.diagnostics().front().message;
    }
    grey.push_back(std::move(one));
  };
  const Links nic = first_nic(problem.cluster), uplink = first_uplink(problem.cluster);
  add({.name = "a GPU 10 % slower", .rate = "grey_gpu", .per = Component::gpu, .takes_node = true},
      [&] { return steps.with_slow_gpu(0.9); });
  add({.name = "a NIC at half rate", .rate = "grey_nic", .per = Component::nic, .takes_node = true},
      [&] { return steps.with_fault(nic, degraded(nic, 0.5)); });
  add({.name = "a NIC that is down for 10 % of the time",
       .rate = "grey_flapping",
       .per = Component::nic},
      [&] { return steps.with_fault(nic, degraded(nic, 0.9)); });
  add({.name = "a lost link between leaf and spine", .rate = "grey_link", .per = Component::cable},
      [&] {
        return steps.with_fault(uplink,
                                {.at = Time(), .faults = {.failed = uplink, .degraded = {}}});
      });
  add({.name = is_ecmp(problem) ? "ECMP with the same hash on every switch"
                                : "ECMP hashing in place of the fabric's routing",
       .rate = "grey_ecmp",
       .per = Component::job},
      [&] { return steps.with_bad_ecmp(); });
  return grey;
}

std::vector<GreyProcess> grey_processes(std::span<const GreyFailure> grey,
                                        const ComponentCounts& counts, const Assumptions& assumed,
                                        RangeEnd end, const RepairTime& repair) {
  std::vector<GreyProcess> processes;
  for (const GreyFailure& one : grey) {
    if (!one.why_not.empty()) continue;
    processes.push_back(
        {.name = one.name,
         .per_second = assumed.at(one.rate, end) * counts.of(one.per) / core::kSecondsPerYear,
         .slowdown = one.slowdown,
         .found = assumed.at("grey_detection", end),
         .takes_node = one.takes_node,
         .repair = repair});
  }
  return processes;
}

}  // namespace railyard::placement
