#include "sim/analytic/analytic_network.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "sim/analytic/analytic_channel.hpp"
#include "sim/link_capacity.hpp"

namespace railyard::sim {
namespace {

using collectives::Binding;
using collectives::TaskResult;

/// What all tasks share.
struct Setting {
  const topology::Cluster& cluster;
  TransferRoutes routes;
  std::vector<double> capacities;
  LinkSums phase, scratch;
  std::vector<double> totals;  ///< wire bytes by link, over all tasks
};

/// The bandwidth term: phases after one another, each as long as its most loaded link takes.
struct BandwidthTerm {
  double seconds = 0;
  std::map<LinkId, double> by_link;  ///< how long each link was the most loaded one
};

void end_phase(Setting& setting, BandwidthTerm& term) {
  LinkId slowest;
  double seconds = 0;
  for (const LinkId link : setting.phase.links()) {
    const double bytes = setting.phase[link];
    setting.totals[link.index()] += bytes;
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

Binding binding(const Setting& setting, const BandwidthTerm& term, Time latency, Time total,
                std::span<const double> before) {
  if (term.by_link.empty() || latency + latency > total)
    return {.text = "latency", .link = {}, .utilisation = 0};
  const auto longest =
      std::max_element(term.by_link.begin(), term.by_link.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  const LinkId link = longest->first;
  const double bytes = setting.totals[link.index()] - before[link.index()];
  return {.text = setting.cluster.name(link),
          .link = link,
          .utilisation = bytes / (setting.capacities[link.index()] * total.seconds())};
}

TaskResult run_task(Setting& setting, const collectives::Task& task, std::size_t index) {
  const auto& schedule = *task.schedule;
  const PathCosts costs{setting.cluster, AlphaModel(setting.cluster, schedule.protocol()),
                        wire_factors(setting.cluster, schedule.protocol()), setting.capacities};
  std::vector<AnalyticChannel> channels;
  for (std::size_t c = 0; c < schedule.channels().size(); ++c)
    channels.emplace_back(AnalyticChannel::Identity{schedule, c, connection_label(index, c)},
                          costs);
  const auto before = setting.totals;
  BandwidthTerm term;
  for (bool more = true; more;) {
    more = false;
    for (auto& channel : channels)
      more = channel.next_phase(setting.routes, setting.phase, setting.scratch) || more;
    end_phase(setting, term);
  }
  Time latency;
  for (const auto& channel : channels) latency = std::max(latency, channel.latency());
  latency += costs.alpha.launch();
  const Time total = latency + Time::from_seconds(term.seconds);
  return {.start = task.start,
          .finish = task.start + total,
          .bound_by = binding(setting, term, latency, total, before)};
}

}  // namespace

AnalyticNetwork::AnalyticNetwork(const topology::Cluster& cluster, AnalyticOptions options)
    : cluster_(cluster), options_(std::move(options)) {}

collectives::Run AnalyticNetwork::run(std::span<const collectives::Task> tasks) {
  Setting setting{.cluster = cluster_,
                  .routes = TransferRoutes(cluster_, options_.routing, options_.faults),
                  .capacities = link_capacities(cluster_, options_.faults),
                  .phase = LinkSums(cluster_.link_count()),
                  .scratch = LinkSums(cluster_.link_count()),
                  .totals = std::vector<double>(cluster_.link_count(), 0.0)};
  collectives::Run run;
  for (std::size_t i = 0; i < tasks.size(); ++i)
    run.tasks.push_back(run_task(setting, tasks[i], i));
  for (std::size_t i = 0; i < cluster_.link_count(); ++i)
    if (setting.totals[i] > 0)
      run.link_loads.push_back(link_load(cluster_, LinkId(i), setting.totals[i]));
  run.notes.push_back("analytic: latency of the critical path + most loaded link, phase by phase");
  if (tasks.size() > 1) run.notes.push_back("analytic: tasks do not share links in time");
  return run;
}

}  // namespace railyard::sim
