#include "sim/analytic/paced_network.hpp"

#include <algorithm>
#include <cstdint>

#include "sim/fitted_links.hpp"
#include "sim/flow/transfer_routes.hpp"
#include "sim/link_capacity.hpp"

namespace railyard::sim {

using collectives::Pace;
using collectives::Run;
using collectives::Task;
using collectives::TaskResult;

namespace {

/// Calls visit(transfer) for a sample of a schedule. Fabrics are regular: of a step with many
/// transfers some are tried, with an odd stride, so that all GPUs of a node are among them.
template <typename Visit>
void sample(const collectives::Schedule& schedule, Visit&& visit) {
  constexpr std::uint64_t kTried = 512;
  for (const auto& channel : schedule.channels())
    for (const auto& loop : channel.loops)
      for (const auto& step : loop.steps) {
        const std::uint64_t stride = step.size() / kTried | 1;
        for (std::uint64_t i = 0; i < step.size(); i += stride) visit(step.at(i, 0));
      }
}

/// Throws InputError where the fabric has no way for a schedule.
void check_ways(const topology::Cluster& cluster, const AnalyticOptions& options,
                const collectives::Schedule& schedule) {
  TransferRoutes routes(cluster, options.routing, options.faults);
  std::vector<topology::Hop> hops;
  sample(schedule, [&](const collectives::Transfer& transfer) {
    hops.clear();
    routes.append(schedule, transfer, connection_label(0, 0), hops);
  });
}

bool uses_far_nics(const topology::Cluster& cluster, const collectives::Schedule& schedule) {
  bool found = false;
  sample(schedule, [&](const collectives::Transfer& transfer) {
    found = found ||
            FittedLinks(cluster, schedule, transfer, topology::LinkKind::nvlink).uses_far_nic();
  });
  return found;
}

}  // namespace

PacedNetwork::PacedNetwork(const topology::Cluster& cluster, Options options)
    : cluster_(cluster), options_(std::move(options)) {}

bool PacedNetwork::needs_bottleneck(const Paces& paces) const {
  const topology::Faults& faults = options_.bottleneck.faults;
  return options_.loads || paces.size() > 1 || !faults.failed.empty() || !faults.degraded.empty() ||
         std::ranges::any_of(paces, [](const auto& pace) { return !pace; });
}

std::vector<Time> PacedNetwork::added_by_faults(std::span<const Task> tasks,
                                                const Run& faulty) const {
  std::vector<Time> added(tasks.size());
  const topology::Faults& faults = options_.bottleneck.faults;
  if (faults.failed.empty() && faults.degraded.empty()) return added;
  std::vector<TaskBytes> bytes;
  const Run sound =
      AnalyticNetwork(cluster_, {.routing = options_.bottleneck.routing, .faults = {}})
          .run_apart(tasks, bytes);
  for (std::size_t i = 0; i < tasks.size(); ++i)
    added[i] = std::max(Time(), faulty.tasks[i].finish - sound.tasks[i].finish);
  return added;
}

std::vector<double> PacedNetwork::line_capacities() const {
  std::vector<double> capacities = link_capacities(cluster_, options_.bottleneck.faults);
  for (std::size_t i = 0; i < capacities.size(); ++i) {
    const topology::Link& link = cluster_.link(LinkId(i));
    if (capacities[i] >= link.bandwidth.bytes_per_second())
      capacities[i] = link.line_rate.bytes_per_second();
  }
  return capacities;
}

void PacedNetwork::report_line_rates(Run& run) const {
  Time first = Time::never(), last;
  for (const TaskResult& task : run.tasks) {
    first = std::min(first, task.start);
    last = std::max(last, task.finish);
  }
  for (collectives::LinkLoad& load : run.link_loads)
    if (load.busy > last - first)
      load = link_load(load.link, load.bytes, cluster_.link(load.link).line_rate);
}

TaskResult PacedNetwork::paced(const Task& task, const Pace& pace, Time added,
                               const collectives::Binding& bottleneck) const {
  const Time total = pace.total() + added;
  TaskResult result{.start = task.start, .finish = task.start + total, .bound_by = {}};
  if (added > Time() && !bottleneck.link.is_none()) {
    result.bound_by = bottleneck;
  } else if (!pace.delay().empty()) {
    result.bound_by.text = pace.delay();
  } else if (!pace.limit.empty()) {
    result.bound_by.text = pace.limit;
  } else if (pace.bound.is_none()) {
    result.bound_by.text = "latency";
  } else {
    result.bound_by = {.text = cluster_.name(pace.bound), .link = pace.bound, .utilisation = 0};
  }
  return result;
}

Run PacedNetwork::run(std::span<const Task> tasks) {
  Paces paces;
  for (const Task& task : tasks) paces.push_back(options_.pace(*task.schedule));
  Run run;
  std::vector<TaskBytes> bytes;
  if (needs_bottleneck(paces))
    run = AnalyticNetwork(cluster_, options_.bottleneck).run_apart(tasks, bytes);
  else
    for (const Task& task : tasks) check_ways(cluster_, options_.bottleneck, *task.schedule);
  const std::vector<Time> added = added_by_faults(tasks, run);
  run.tasks.resize(tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i)
    if (paces[i]) run.tasks[i] = paced(tasks[i], *paces[i], added[i], run.tasks[i].bound_by);
  if (!bytes.empty()) share_links(cluster_, line_capacities(), bytes, run.tasks);
  report_line_rates(run);
  check_link_loads(cluster_, run);
  if (std::ranges::any_of(paces, [](const auto& pace) { return pace.has_value(); }))
    run.notes.insert(run.notes.begin(), "analytic: NCCL's fitted time model");
  for (std::size_t i = 0; i < tasks.size(); ++i)
    if (paces[i] && uses_far_nics(cluster_, *tasks[i].schedule)) {
      run.notes.emplace_back(
          "analytic: what ways to far NICs cost is not known to that model; flow simulation has "
          "it");
      break;
    }
  return run;
}

}  // namespace railyard::sim
