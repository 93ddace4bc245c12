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

/// Calls visit(transfer) for a sample of the transfers of a schedule. Fabrics are regular, so of a
/// step with many transfers only some are visited. The stride is odd, so that the sample contains
/// all GPU numbers of a node.
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

/// Throws InputError if the fabric has no path for a transfer of the sample.
void check_paths(const topology::Cluster& cluster, const AnalyticOptions& options,
                 const collectives::Schedule& schedule) {
  TransferRoutes routes(cluster, options.routing, options.faults);
  std::vector<topology::Hop> hops;
  sample(schedule, [&](const collectives::Transfer& transfer) {
    hops.clear();
    routes.append(schedule, transfer, connection_label(0, 0), hops);
  });
}

// A pass over this many transfers takes a few tenths of a second: rings of 65,536 GPUs, or an
// all-to-all of 1,024 GPUs.
constexpr std::uint64_t kMostTransfers = 1 << 20;

/// The number of transfers that a pass over a schedule reads.
std::uint64_t transfers_of(const collectives::Schedule& schedule) {
  std::uint64_t count = 0;
  for (const auto& channel : schedule.channels())
    for (const auto& loop : channel.loops) {
      const bool is_body = loop.coupling == collectives::Coupling::ring ||
                           loop.coupling == collectives::Coupling::pipeline;
      for (const auto& step : loop.steps) count += step.size() * (is_body ? 1 : loop.repeat);
    }
  return count;
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

bool PacedNetwork::needs_bottleneck(std::span<const Task> tasks, const Paces& paces) const {
  const topology::Faults& faults = options_.bottleneck.faults;
  return options_.loads || paces.size() > 1 ||
         transfers_of(*tasks.front().schedule) <= kMostTransfers || !faults.failed.empty() ||
         !faults.degraded.empty() ||
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
  std::vector<double> capacities =
      link_capacities(cluster_, options_.bottleneck.faults, options_.network_share);
  for (std::size_t i = 0; i < capacities.size(); ++i) {
    const topology::Link& link = cluster_.link(LinkId(i));
    if (link.line_rate > link.bandwidth)  // of ports and links between switches they are one
      capacities[i] *= link.line_rate.bytes_per_second() / link.bandwidth.bytes_per_second();
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

TaskResult PacedNetwork::paced(const Task& task, const Pace& pace, const Slowdown& slowdown) const {
  const Time by_pace = pace.bytes + slowdown.added;
  // The link and the model may describe the same limit. Their times then differ only by rounding
  // or, for messages of a few bytes, by the division into chunks. This tolerance is below the step
  // time of any protocol.
  constexpr Time kRounding = Time::microseconds(1);
  const Time tolerance = std::min(kRounding, pace.launch + pace.latency);
  const bool is_held = slowdown.slowest.time > by_pace + tolerance;
  Pace all = pace;
  all.bytes = is_held ? slowdown.slowest.time : by_pace;
  TaskResult result{.start = task.start, .finish = task.start + all.total(), .bound_by = {}};
  const auto by_link = [this](LinkId link) {
    return collectives::Binding{.text = cluster_.name(link), .link = link, .utilisation = 0};
  };
  if (is_held && all.delay().empty()) {
    result.bound_by = by_link(slowdown.slowest.link);
  } else if (slowdown.added > Time() && !slowdown.faulty.link.is_none()) {
    result.bound_by = slowdown.faulty;
  } else if (!all.delay().empty()) {
    result.bound_by.text = all.delay();
  } else if (!pace.limit.empty()) {
    result.bound_by.text = pace.limit;
  } else if (pace.bound.is_none()) {
    result.bound_by.text = "latency";
  } else {
    result.bound_by = by_link(pace.bound);
  }
  return result;
}

Run PacedNetwork::run(std::span<const Task> tasks) {
  if (tasks.empty()) return {};
  Paces paces;
  for (const Task& task : tasks) paces.push_back(options_.pace(*task.schedule));
  Run run;
  std::vector<TaskBytes> bytes(tasks.size());
  const bool has_bytes = needs_bottleneck(tasks, paces);
  if (has_bytes) {
    bytes.clear();
    run = AnalyticNetwork(cluster_, options_.bottleneck).run_apart(tasks, bytes);
    // These notes describe how AnalyticNetwork found its times, which are replaced by those of the
    // pace.
    if (std::ranges::all_of(paces, [](const auto& pace) { return pace.has_value(); }))
      run.notes.clear();
  } else {
    for (const Task& task : tasks) check_paths(cluster_, options_.bottleneck, *task.schedule);
  }
  const std::vector<double> capacities = line_capacities();
  const std::vector<Time> added = added_by_faults(tasks, run);
  run.tasks.resize(tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (!paces[i]) continue;
    Slowdown slowdown{.slowest = {}, .added = added[i], .faulty = run.tasks[i].bound_by};
    for (const auto& [link, carried] : bytes[i]) {
      const Time time = Time::from_seconds(carried / capacities[link.index()]);
      if (time > slowdown.slowest.time) slowdown.slowest = {time, link};
    }
    run.tasks[i] = paced(tasks[i], *paces[i], slowdown);
  }
  share_links(cluster_, capacities, bytes, run.tasks);
  report_line_rates(run);
  check_link_loads(cluster_, run);
  if (!has_bytes)
    run.notes.emplace_back(
        "analytic: links beyond the NICs are not considered at this size (--links considers them)");
  if (std::ranges::any_of(paces, [](const auto& pace) { return pace.has_value(); }))
    run.notes.insert(run.notes.begin(), "analytic: NCCL's fitted time model");
  const auto has_unknown_paths = [&](std::size_t i) {
    const collectives::Schedule& schedule = *tasks[i].schedule;
    return paces[i] && schedule.collective().kind != collectives::Kind::all_to_all &&
           uses_far_nics(cluster_, schedule);
  };
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (!has_unknown_paths(i)) continue;
    run.notes.emplace_back(
        "analytic: the fitted model has no paths to NICs that are not next to a GPU");
    break;
  }
  return run;
}

}  // namespace railyard::sim
