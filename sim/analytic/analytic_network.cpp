#include "sim/analytic/analytic_network.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "collectives/schedule/finite_time.hpp"
#include "sim/analytic/analytic_channel.hpp"
#include "sim/link_capacity.hpp"

namespace railyard::sim {
namespace {

using collectives::Binding;
using collectives::TaskResult;

/// The state that all tasks share.
struct Setting {
  const topology::Cluster& cluster;
  TransferRoutes routes;
  std::vector<double> capacities;
  LinkSums phase, scratch;
  LinkSums task;               ///< wire bytes of a task
  std::vector<double> totals;  ///< wire bytes by link, over all tasks
};

/// The bandwidth term: the sum over phases of the time of the most loaded link.
struct BandwidthTerm {
  double seconds = 0;
  std::map<LinkId, double> by_link;  ///< total time in which each link was the most loaded one
};

void end_phase(Setting& setting, BandwidthTerm& term) {
  LinkId slowest;
  double seconds = 0;
  for (const LinkId link : setting.phase.links()) {
    const double bytes = setting.phase[link];
    setting.task.add(link, bytes);
    const double time = bytes / setting.capacities[link.index()];
    if (time > seconds || (time == seconds && link < slowest)) {
      seconds = time;
      slowest = link;
    }
  }
  if (!slowest.is_none()) term.by_link[slowest] += seconds;
  term.seconds += seconds;
  setting.phase.clear();
}

Binding binding(const Setting& setting, const BandwidthTerm& term, Time latency, Time total) {
  if (term.by_link.empty() || latency + latency > total)
    return {.text = "latency", .link = {}, .utilisation = 0};
  const auto longest =
      std::max_element(term.by_link.begin(), term.by_link.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  const LinkId link = longest->first;
  const double bytes = setting.task[link];
  return {.text = setting.cluster.name(link),
          .link = link,
          .utilisation = bytes / (setting.capacities[link.index()] * total.seconds())};
}

/// Returns the bytes of the current task on links, and adds them to the totals.
TaskBytes taken(Setting& setting) {
  TaskBytes bytes;
  for (const LinkId link : setting.task.links()) {
    bytes.emplace_back(link, setting.task[link]);
    setting.totals[link.index()] += setting.task[link];
  }
  setting.task.clear();
  return bytes;
}

struct TaskTime {
  Time latency, total;
  BandwidthTerm term{};
  bool is_sampled = false;  ///< some transfers stand for all of a step
};

TaskTime time_of(Setting& setting, const collectives::Schedule& schedule, std::size_t label) {
  const PathCosts costs{setting.cluster, AlphaModel(setting.cluster, schedule.protocol()),
                        wire_factors(setting.cluster, schedule.protocol()), setting.capacities};
  std::vector<AnalyticChannel> channels;
  for (std::size_t c = 0; c < schedule.channels().size(); ++c)
    channels.emplace_back(AnalyticChannel::Identity{schedule, c, connection_label(label, c)},
                          costs);
  BandwidthTerm term;
  for (bool more = true; more;) {
    more = false;
    for (auto& channel : channels)
      more = channel.next_phase(setting.routes, setting.phase, setting.scratch) || more;
    end_phase(setting, term);
  }
  Time latency;
  bool is_sampled = false;
  for (const auto& channel : channels) {
    latency = std::max(latency, channel.latency());
    is_sampled = is_sampled || channel.is_sampled();
  }
  latency += costs.alpha.launch();
  const Time total = latency + collectives::finite_time(term.seconds);
  return {.latency = latency, .total = total, .term = std::move(term), .is_sampled = is_sampled};
}

TaskResult run_task(Setting& setting, const collectives::Task& task, std::size_t index,
                    bool& is_sampled) {
  const TaskTime time = time_of(setting, *task.schedule, index);
  is_sampled = is_sampled || time.is_sampled;
  return {.start = task.start,
          .finish = task.start + time.total,
          .bound_by = binding(setting, time.term, time.latency, time.total)};
}

Setting setting_of(const topology::Cluster& cluster, const AnalyticOptions& options) {
  return {.cluster = cluster,
          .routes = TransferRoutes(cluster, options.routing, options.faults),
          .capacities = link_capacities(cluster, options.faults),
          .phase = LinkSums(cluster.link_count()),
          .scratch = LinkSums(cluster.link_count()),
          .task = LinkSums(cluster.link_count()),
          .totals = std::vector<double>(cluster.link_count(), 0.0)};
}

/// The part of the time `flowing` that would remain without links between switches. Estimated from
/// the most loaded link of each kind over all phases together.
Time at_hosts(const Setting& setting, const TaskBytes& bytes, Time flowing) {
  double hosts = 0, all = 0;
  for (const auto& [link, count] : bytes) {
    const double seconds = count / setting.capacities[link.index()];
    all = std::max(all, seconds);
    if (setting.cluster.link(link).kind != topology::LinkKind::fabric)
      hosts = std::max(hosts, seconds);
  }
  return hosts < all ? Time::from_seconds(flowing.seconds() * hosts / all) : flowing;
}

}  // namespace

AnalyticNetwork::AnalyticNetwork(const topology::Cluster& cluster, AnalyticOptions options)
    : cluster_(cluster), options_(std::move(options)) {}

collectives::Run AnalyticNetwork::run(std::span<const collectives::Task> tasks) {
  std::vector<TaskBytes> bytes;
  collectives::Run run = run_apart(tasks, bytes);
  share_links(cluster_, link_capacities(cluster_, options_.faults), bytes, run.tasks);
  check_link_loads(cluster_, run);
  return run;
}

collectives::Run AnalyticNetwork::run_apart(std::span<const collectives::Task> tasks,
                                            std::vector<TaskBytes>& bytes) const {
  Setting setting = setting_of(cluster_, options_);
  collectives::Run run;
  bool is_sampled = false;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    run.tasks.push_back(run_task(setting, tasks[i], i, is_sampled));
    bytes.push_back(taken(setting));
  }
  for (std::size_t i = 0; i < cluster_.link_count(); ++i)
    if (setting.totals[i] > 0)
      run.link_loads.push_back(
          link_load(LinkId(i), setting.totals[i], cluster_.link(LinkId(i)).bandwidth));
  run.notes.push_back(
      "analytic: time = latency of the critical path + time of the most loaded link, phase by "
      "phase");
  if (is_sampled)
    run.notes.emplace_back(
        "analytic: link loads of an all-to-all of this size are estimated from a sample of its "
        "transfers");
  if (tasks.size() > 1)
    run.notes.push_back(
        "analytic: tasks that overload a link are all slowed in the same proportion");
  return run;
}

std::vector<IsolatedTime> AnalyticNetwork::alone(std::span<const Connected> schedules) const {
  Setting setting = setting_of(cluster_, options_);
  std::vector<IsolatedTime> times;
  times.reserve(schedules.size());
  for (const auto& [schedule, label] : schedules) {
    const TaskTime time = time_of(setting, *schedule, label);
    IsolatedTime& its = times.emplace_back(
        IsolatedTime{.total = time.total, .latency = time.latency, .bytes = taken(setting)});
    its.at_hosts = at_hosts(setting, its.bytes, its.total - its.latency);
  }
  return times;
}

}  // namespace railyard::sim
