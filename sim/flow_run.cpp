#include "sim/flow_run.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "core/diagnostic.hpp"

namespace railyard::sim {
namespace {

/// Faults that hold from the start.
topology::Faults initial_faults(std::span<const topology::TimedFault> timed) {
  topology::Faults all;
  for (const auto& [at, faults] : timed) {
    if (at > Time()) continue;
    all.failed.insert(all.failed.end(), faults.failed.begin(), faults.failed.end());
    all.degraded.insert(all.degraded.end(), faults.degraded.begin(), faults.degraded.end());
  }
  return all;
}

std::string task_name(std::span<const collectives::Task> tasks, std::size_t task) {
  return tasks[task].name.empty() ? fmt::format("task {}", task) : tasks[task].name;
}

}  // namespace

FlowRun::FlowRun(const topology::Cluster& cluster, const FlowOptions& options,
                 std::span<const collectives::Task> tasks)
    : asked_(tasks),
      state_{.cluster = cluster,
             .routes = TransferRoutes(cluster, options.routing, initial_faults(options.faults)),
             .capacities = link_capacities(cluster, initial_faults(options.faults)),
             .fluid = Fluid(link_capacities(cluster, initial_faults(options.faults)),
                            {.certify = options.certify, .coalesce = options.coalesce}),
             .events = {},
             .sums = LinkSums(cluster.link_count()),
             .record_timeline = options.timeline,
             .timeline = {},
             .owners = {},
             .tasks = std::vector<TaskStreams>(tasks.size())},
      sampler_(cluster, options.timeline) {
  plan(options, tasks);
}

void FlowRun::plan(const FlowOptions& options, std::span<const collectives::Task> tasks) {
  for (const auto& fault : options.faults) {
    if (fault.at <= Time()) continue;
    state_.ways_may_change = state_.ways_may_change || !fault.faults.failed.empty();
    state_.events.push({.time = fault.at.seconds(),
                        .kind = FlowEvent::Kind::fault,
                        .channel = static_cast<std::uint32_t>(faults_.size())});
    faults_.push_back(fault);
  }
  result_.tasks.resize(tasks.size());
  tasks_.resize(tasks.size());
  open_tasks_ = tasks.size();
  for (std::size_t i = 0; i < tasks.size(); ++i) plan_task(i, options.expand);
}

void FlowRun::plan_task(std::size_t index, bool expand) {
  const auto& task = asked_[index];
  const auto& schedule = *task.schedule;
  const AlphaModel alpha(state_.cluster, schedule.protocol());
  const Time launched = task.start + alpha.launch();
  tasks_[index].begin = task.start.seconds();
  result_.tasks[index].start = task.start;
  for (std::size_t c = 0; c < schedule.channels().size(); ++c) {
    const auto& channel = schedule.channels()[c];
    const auto number = static_cast<std::uint32_t>(channels_.size());
    const auto task_number = static_cast<std::uint32_t>(index);
    channels_.emplace_back(ChannelContext{.schedule = schedule,
                                          .channel = c,
                                          .number = number,
                                          .task = task_number,
                                          .label = connection_label(index, c),
                                          .wire = wire_factors(state_.cluster, schedule.protocol()),
                                          .alpha = alpha,
                                          .track = fmt::format("{} / channel {}", task_name(asked_, index), c)},
                           expand ? expanded_stages(channel) : stages(channel));
    state_.events.push({.time = launched.seconds(), .kind = FlowEvent::Kind::channel_begins, .channel = number});
  }
  tasks_[index].open_channels = schedule.channels().size();
  if (!schedule.channels().empty()) return;
  result_.tasks[index].finish = launched;
  result_.tasks[index].bound_by.text = "latency";
  --open_tasks_;
}

collectives::Run FlowRun::run() {
  while (true) {
    while (!state_.events.empty() && state_.events.next_time() <= state_.fluid.now())
      handle(state_.events.pop());
    if (open_tasks_ == 0) break;
    advance();
  }
  collect_loads();
  sampler_.append_to(state_.timeline);
  result_.timeline = std::move(state_.timeline);
  result_.notes.push_back(state_.fluid.describe());
  return std::move(result_);
}

void FlowRun::handle(const FlowEvent& event) {
  if (event.kind == FlowEvent::Kind::fault) {
    apply(faults_[event.channel].faults);
    return;
  }
  auto& channel = channels_[event.channel];
  auto& task = tasks_[channel.task()];
  if (event.kind == FlowEvent::Kind::stream_begins) {
    channel.stream_begins(state_, event.item);
    return;
  }
  if (event.kind == FlowEvent::Kind::stage_arrives) {
    channel.stage_arrives(state_);
    if (channel.is_done()) close_channel(channel.task());
    return;
  }
  if (task.carried_before.empty() && state_.fluid.now() > 0 && task.begin > 0)
    for (std::size_t i = 0; i < state_.cluster.link_count(); ++i)
      task.carried_before.push_back(state_.fluid.carried(LinkId(i)));
  channel.begin(state_);
  if (channel.is_done()) close_channel(channel.task());
}

void FlowRun::apply(const topology::Faults& faults) {
  state_.routes.add_faults(faults);
  const auto set = [this](LinkId link, double bytes_per_second) {
    state_.capacities[link.index()] = bytes_per_second;
    state_.fluid.set_capacity(link, bytes_per_second);
  };
  for (const LinkId link : faults.failed) set(link, 0);
  for (const auto& [link, factor] : faults.degraded)
    if (state_.capacities[link.index()] > 0)
      set(link, factor * state_.cluster.link(link).bandwidth.bytes_per_second());
  if (faults.failed.empty()) return;
  for (auto& channel : channels_)
    if (!channel.is_done()) channel.reroute(state_, faults.failed);
}

void FlowRun::advance() {
  const double until = state_.events.empty() ? std::numeric_limits<double>::infinity() : state_.events.next_time();
  for (std::size_t i = 0; i < tasks_.size(); ++i)
    if (tasks_[i].open_channels > 0) tasks_[i].holders.look(state_.fluid, state_.tasks[i].active);
  const double before = state_.fluid.now();
  // All are retired before any is followed up: new streams may take the numbers of completed ones.
  completed_.clear();
  for (const StreamId stream : state_.fluid.advance(until)) {
    completed_.push_back(state_.retire(stream));
    tasks_[completed_.back().task].holders.forget(stream);
  }
  const double now = state_.fluid.now();
  if (completed_.empty() && state_.events.empty()) report_stuck();
  for (auto& task : tasks_)
    if (task.open_channels > 0 && now > std::max(before, task.begin))
      task.holders.pass(now - std::max(before, task.begin));
  sampler_.sample(state_.fluid);
  for (const auto& owner : completed_) complete(owner);
}

void FlowRun::complete(const FlowState::Owner& owner) {
  auto& channel = channels_[owner.channel];
  channel.stream_ends(state_, owner.item);
  if (channel.is_done()) close_channel(owner.task);
}

void FlowRun::close_channel(std::uint32_t index) {
  auto& task = tasks_[index];
  if (--task.open_channels > 0) return;
  const double finish = state_.fluid.now();
  result_.tasks[index].finish = Time::from_seconds(finish);
  result_.tasks[index].bound_by = binding(task, finish);
  if (state_.record_timeline) {
    const auto& schedule = *asked_[index].schedule;
    state_.timeline.push_back({fmt::format("{} / task", task_name(asked_, index)), schedule.algorithm(),
                               asked_[index].start, result_.tasks[index].finish, schedule.collective().bytes});
  }
  task.carried_before = {};
  --open_tasks_;
}

collectives::Binding FlowRun::binding(const TaskRun& task, double finish) const {
  const auto held = task.holders.longest();
  if (held.link.is_none()) return {.text = "latency", .link = {}, .utilisation = 0};
  const double before = task.carried_before.empty() ? 0 : task.carried_before[held.link.index()];
  const double bytes = state_.fluid.carried(held.link) - before;
  const double capacity = state_.capacities[held.link.index()] * (finish - task.begin);
  return {.text = state_.cluster.name(held.link),
          .link = held.link,
          .utilisation = capacity > 0 ? std::min(1.0, bytes / capacity) : 0};
}

void FlowRun::report_stuck() const {
  std::vector<Diagnostic> found;
  for (const auto& task : state_.tasks)
    for (const StreamId stream : task.active) {
      const auto& owner = state_.owners[stream.index()];
      if (found.size() < 20)
        found.push_back({"", "", fmt::format("{} can never finish: a link on its way carries nothing",
                                             channels_[owner.channel].describe(owner.item)),
                         "leave a way between its ends when failing links"});
    }
  throw InputError(std::move(found));
}

void FlowRun::collect_loads() {
  for (std::size_t i = 0; i < state_.cluster.link_count(); ++i) {
    const LinkId link(i);
    const double bytes = state_.fluid.carried(link);
    if (bytes > 0) result_.link_loads.push_back(link_load(state_.cluster, link, bytes));
  }
}

}  // namespace railyard::sim
