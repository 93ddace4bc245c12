#include "sim/flow/flow_run.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "collectives/schedule/finite_time.hpp"
#include "core/diagnostic.hpp"
#include "sim/fitted_links.hpp"
#include "sim/flow/flow_memory.hpp"
#include "sim/flow/flow_workspace.hpp"
#include "sim/flow/transfer_loads.hpp"
#include "sim/run_memory.hpp"
#include "topology/routing/hop_choice.hpp"

namespace railyard::sim {
namespace {

// With fewer transfers, single streams are cheap and give more information (--certify, notes).
constexpr std::uint64_t kFewestTogether = 4096;
// With more transfers, single streams would take minutes and gigabytes. They are then simulated
// together even without a pace, with the latency of the longest path for all of them.
constexpr std::uint64_t kMostAlone = std::uint64_t{1} << 22;
// If each transfer must be routed to count link loads, single streams are cheaper up to this
// number.
constexpr std::uint64_t kFewestRouted = std::uint64_t{1} << 18;

/// The largest number of transfers to count. Of more transfers whole rounds are sampled, because to
/// count all would take tens of seconds. Time per transfer on one thread (results/flow_engine.md):
/// ecmp and adaptive 0.1 to 0.2 us; balanced, which tries 32 source ports, 3 us.
std::uint64_t most_counted(topology::RoutingPolicy policy) {
  switch (policy) {
    case topology::RoutingPolicy::ecmp: return std::uint64_t{1} << 26;
    case topology::RoutingPolicy::adaptive: return std::uint64_t{1} << 22;
    case topology::RoutingPolicy::balanced: return std::uint64_t{1} << 20;
    default: return std::uint64_t{1} << 29;
  }
}
/// The same if each transfer must be routed, which takes about 1 us (balanced, and spray over
/// hundreds of links: 20 us).
std::uint64_t most_routed(topology::RoutingPolicy policy) {
  switch (policy) {
    case topology::RoutingPolicy::balanced:
    case topology::RoutingPolicy::spray: return std::uint64_t{1} << 18;
    case topology::RoutingPolicy::adaptive:
      return std::uint64_t{1} << 20;  // 200 bytes are stored
                                      // for each
    default: return std::uint64_t{1} << 22;
  }
}

std::uint64_t transfers_of(const collectives::Schedule& schedule) {
  std::uint64_t count = 0;
  for (const auto& channel : schedule.channels())
    for (const auto& loop : channel.loops)
      for (const auto& step : loop.steps) count += step.size() * loop.repeat;
  return count;
}

}  // namespace

FlowRun::FlowRun(const FlowProblem& problem, const FlowOptions& options, FlowWorkspace& workspace)
    : problem_(problem),
      state_(workspace, problem.links, options, problem.tasks.size()),
      sampler_(workspace.cluster, options.timeline) {
  plan(options);
}

FlowRun::~FlowRun() {
  state_.restore_capacities();
  state_.sums.clear();
  state_.routes.forget_faults();
}

std::string FlowRun::name_of(std::size_t task) const {
  const std::string& name = asked(task).name;
  return name.empty() ? fmt::format("task {}", problem_.tasks[task]) : name;
}

void FlowRun::plan(const FlowOptions& options) {
  faults_ = later_faults(options);
  for (std::size_t i = 0; i < faults_.size(); ++i) {
    state_.paths_may_change = state_.paths_may_change || !faults_[i].faults.failed.empty();
    state_.events.push({.time = faults_[i].at.seconds(),
                        .kind = FlowEvent::Kind::fault,
                        .channel = static_cast<std::uint32_t>(i)});
    state_.events.push({.time = (faults_[i].at + options.convergence).seconds(),
                        .kind = FlowEvent::Kind::rerouting,
                        .channel = static_cast<std::uint32_t>(i)});
  }
  result_.tasks.resize(problem_.tasks.size());
  tasks_.resize(problem_.tasks.size());
  open_tasks_ = problem_.tasks.size();
  for (std::size_t i = 0; i < problem_.tasks.size(); ++i) plan_task(i, options);
  check_run_memory(options);
  state_.is_alone = channels_.size() == 1 && faults_.empty();
}

std::vector<std::shared_ptr<const TransferLoads>> FlowRun::together(const FlowOptions& options) {
  if (problem_.tasks.size() != 1 || !faults_.empty() || options.timeline || options.certify ||
      options.expand)
    return {};
  const auto& schedule = *asked(0).schedule;
  const std::uint64_t transfers = transfers_of(schedule);
  if (transfers < kFewestTogether || (!tasks_[0].pace && transfers <= kMostAlone)) return {};
  LoadSetting setting{.cluster = state_.cluster,
                      .routing = options.routing,
                      .faults = initial_faults(options),
                      .threads = options.threads,
                      .most = most_counted(options.routing.policy)};
  // Balanced and adaptive: the paths of a channel depend on the paths of earlier channels, so all
  // channels use one router.
  std::unique_ptr<topology::LeafRouter> router;
  if (!topology::is_stateless(options.routing.policy))
    router = topology::LeafRouter::make(state_.cluster, options.routing);
  setting.router = router.get();
  bool is_sampled = false;
  std::vector<std::shared_ptr<const TransferLoads>> loads;
  const auto none = [&]() -> std::vector<std::shared_ptr<const TransferLoads>> {
    state_.tasks[0].demand = NodeLinkDemand(state_.cluster);
    return {};
  };
  for (std::size_t c = 0; c < schedule.channels().size(); ++c) {
    const auto parts = stages(schedule.channels()[c]);
    if (parts.size() != 1 || parts.front().kind != Stage::Kind::independent) return none();
    const auto& loop = parts.front().loops.front();
    if (loop.repeat != 1 || loop.steps.size() != 1) return none();
    const std::uint32_t label = connection_label(problem_.tasks[0], c);
    setting.watch = [&, before = static_cast<double>(c)](double share) {
      const auto channels = static_cast<double>(schedule.channels().size());
      return state_.goes_on(RunProgress::Phase::paths, (before + share) / channels);
    };
    auto counted = transfer_loads(setting, schedule, c, loop.steps.front(), label);
    if (!counted && transfers >= kFewestRouted)
      counted = routed(setting, c, loop.steps.front(), label);
    if (!counted) return none();
    is_sampled = is_sampled || counted->counted < counted->transfers;
    if (c > 0 && counted->bytes != loads.front()->bytes && transfers <= kMostAlone) return none();
    loads.push_back(std::make_shared<const TransferLoads>(std::move(*counted)));
  }
  result_.notes.push_back(fmt::format(
      "flow: {} equal transfers start together and are counted by link{}", transfers,
      tasks_[0].pace ? "" : ", with the latency of the longest path among 4096 of them"));
  if (is_sampled)
    result_.notes.push_back(fmt::format(
        "flow: link loads are estimated from {} of the {} transfers (whole rounds, in which every "
        "rank sends once)",
        loads.front()->counted, loads.front()->transfers));
  return loads;
}

std::optional<TransferLoads> FlowRun::routed(const LoadSetting& setting, std::size_t channel,
                                             const collectives::Step& step, std::uint32_t label) {
  const auto& schedule = *asked(0).schedule;
  LoadSetting sampled = setting;
  sampled.most = most_routed(setting.routing.policy);
  NodeLinkDemand& demand = state_.tasks[0].demand;
  const auto pace = stage_pace(tasks_[0].pace, 1);
  const double bytes = static_cast<double>(schedule.bytes(channel, step.at(0, 0)).count());
  const double rate = pace ? pace->rate(bytes) : std::numeric_limits<double>::infinity();
  const double wire = wire_factors(state_.cluster, schedule.protocol()).node;
  VisitRouted visit;
  if (std::isfinite(rate))
    visit = [&](const collectives::Transfer& transfer, std::span<const topology::Hop> hops,
                double count) {
      demand.add(FittedLinks(state_.cluster, schedule, transfer, pace->inside), hops,
                 count * rate * wire);
    };
  return routed_loads(sampled, state_.routes, schedule, channel, step, label, visit);
}

void FlowRun::check_run_memory(const FlowOptions& options) const {
  std::vector<collectives::Task> tasks;
  for (std::size_t i = 0; i < problem_.tasks.size(); ++i) tasks.push_back(asked(i));
  const bool keeps_paths = !state_.routes.is_stateless() && !options.expand;
  check_memory({.bytes = memory_,
                .engine = "flow",
                .tasks = tasks,
                .grows_with_bytes = options.expand,
                .instead = options.expand ? "a run without --expand"
                           : keeps_paths  ? "--routing rail, ecmp or spray"
                                          : ""},
               options.announce);
}

void FlowRun::plan_task(std::size_t index, const FlowOptions& options) {
  const auto& task = asked(index);
  const auto& schedule = *task.schedule;
  if (options.pace) tasks_[index].pace = options.pace(schedule);
  const auto& pace = tasks_[index].pace;
  const AlphaModel alpha =
      pace ? AlphaModel(state_.cluster, *pace) : AlphaModel(state_.cluster, schedule.protocol());
  const Time launched = task.start + alpha.launch();
  tasks_[index].begin = task.start.seconds();
  tasks_[index].binding.begin(task.start.seconds());
  result_.tasks[index].start = task.start;
  const auto loads = together(options);
  for (std::size_t c = 0; c < schedule.channels().size(); ++c) {
    const auto& channel = schedule.channels()[c];
    const auto number = static_cast<std::uint32_t>(channels_.size());
    const auto task_number = static_cast<std::uint32_t>(index);
    auto parts = options.expand ? expanded_stages(channel) : stages(channel);
    if (!loads.empty())
      parts.front().kind = Stage::Kind::together;
    else  // the kept path of a connection is about as large as its stream
      memory_ += transfer_memory(parts) * (state_.routes.is_stateless() ? 1 : 2);
    for (const Stage& part : parts) streams_ += streams_of(part);
    channels_.emplace_back(
        ChannelContext{.schedule = schedule,
                       .channel = c,
                       .number = number,
                       .task = task_number,
                       .label = connection_label(problem_.tasks[index], c),
                       .wire = wire_factors(state_.cluster, schedule.protocol()),
                       .alpha = alpha,
                       .pace = stage_pace(pace, parts.size()),
                       .loads = loads.empty() ? nullptr : loads[c],
                       .track = fmt::format("{} / channel {}", name_of(index), c)},
        std::move(parts));
    state_.events.push(
        {.time = launched.seconds(), .kind = FlowEvent::Kind::channel_begins, .channel = number});
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
    const std::uint64_t all = std::max<std::uint64_t>({streams_, ended_, 1});
    const double share = static_cast<double>(ended_) / static_cast<double>(all);
    if (!state_.goes_on(RunProgress::Phase::transfers, share)) throw Stopped();
    advance();
  }
  collect_loads();
  sampler_.append_to(state_.timeline);
  result_.timeline = std::move(state_.timeline);
  return std::move(result_);
}

void FlowRun::handle(const FlowEvent& event) {
  if (event.kind == FlowEvent::Kind::fault) {
    apply(faults_[event.channel].faults);
    return;
  }
  if (event.kind == FlowEvent::Kind::rerouting) {
    avoid(faults_[event.channel].faults);
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
    for (std::size_t i = 0; i < state_.numbers.count(); ++i)
      task.carried_before.push_back(state_.fluid.carried(LinkId(i)));
  channel.begin(state_);
  if (channel.is_done()) close_channel(channel.task());
}

void FlowRun::apply(const topology::Faults& faults) {
  for (const LinkId link : faults.failed) state_.set_capacity(link, 0);
  for (const auto& [link, factor] : faults.degraded)
    if (state_.capacities[link.index()] > 0)
      state_.set_capacity(link, factor * state_.sound_capacity(link));
}

void FlowRun::avoid(const topology::Faults& faults) {
  state_.routes.add_faults(faults);
  if (faults.failed.empty()) return;
  for (auto& channel : channels_)
    if (!channel.is_done()) channel.reroute(state_, faults.failed);
}

void FlowRun::advance() {
  const double until =
      state_.events.empty() ? std::numeric_limits<double>::infinity() : state_.events.next_time();
  observe_binding_links();
  // First retires all completed streams, then processes them: new streams may reuse the numbers of
  // completed ones.
  completed_.clear();
  for (const StreamId stream : state_.fluid.advance(until)) {
    completed_.push_back(state_.retire(stream));
    const std::uint32_t task = completed_.back().task;
    if (tasks_[task].binding.stop_watching(stream)) unwatched_.push_back(task);
  }
  if (completed_.empty() && state_.events.empty()) report_stuck();
  ended_ += completed_.size();
  sampler_.sample(state_.fluid);
  for (const auto& owner : completed_) complete(owner);
}

/// Observes all tasks if rates have changed; otherwise only the tasks whose watched stream has
/// ended, because in a run with many tasks most events concern a single task.
void FlowRun::observe_binding_links() {
  const std::uint64_t solution = state_.fluid.solution();
  const auto look = [this](std::size_t task) {
    if (tasks_[task].open_channels > 0)
      tasks_[task].binding.observe(state_.fluid, state_.tasks[task].active);
  };
  if (solution == looked_at_) {
    for (const std::uint32_t task : unwatched_) look(task);
  } else {
    for (std::size_t task = 0; task < tasks_.size(); ++task) look(task);
  }
  looked_at_ = solution;
  unwatched_.clear();
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
  task.binding.end(finish);
  result_.tasks[index].finish = collectives::finite_time(finish);
  result_.tasks[index].bound_by = binding(task, finish);
  if (state_.record_timeline) {
    const auto& schedule = *asked(index).schedule;
    state_.timeline.push_back({fmt::format("{} / task", name_of(index)), schedule.algorithm(),
                               asked(index).start, result_.tasks[index].finish,
                               schedule.collective().bytes});
  }
  task.carried_before = {};
  --open_tasks_;
}

collectives::Binding FlowRun::binding(const TaskRun& task, double finish) const {
  const auto held = task.binding.longest();
  LinkId number = held.link;
  if (number.is_none() && task.pace) {
    // Streams that the engine solved as symmetric sets end before the time of the pace. The rest of
    // that time is not latency.
    const std::string_view delay = task.pace->delay();
    const bool is_delayed = !held.is_flowing && !delay.empty();
    const std::string_view limit = is_delayed ? delay : task.pace->limit;
    if (!limit.empty()) return {.text = std::string(limit), .link = {}, .utilisation = 0};
    if (!task.pace->bound.is_none()) number = state_.numbers.number(task.pace->bound);
  }
  if (number.is_none()) return {.text = "latency", .link = {}, .utilisation = 0};
  const double before = task.carried_before.empty() ? 0 : task.carried_before[number.index()];
  const double bytes = state_.fluid.carried(number) - before;
  const LinkId link = state_.numbers.link(number);
  const double capacity = state_.capacities[link.index()] * (finish - task.begin);
  return {.text = state_.cluster.name(link),
          .link = link,
          .utilisation = capacity > 0 ? std::min(1.0, bytes / capacity) : 0};
}

void FlowRun::report_stuck() const {
  std::vector<Diagnostic> found;
  for (const auto& task : state_.tasks)
    for (const StreamId stream : task.active) {
      const auto& owner = state_.owners[stream.index()];
      if (found.size() < 20)
        found.push_back({"", "",
                         fmt::format("{} can never finish: a link on its way carries nothing",
                                     channels_[owner.channel].describe(owner.item)),
                         "leave a way between its ends when failing links"});
    }
  throw InputError(std::move(found));
}

void FlowRun::collect_loads() {
  for (std::size_t i = 0; i < state_.numbers.count(); ++i) {
    const double bytes = state_.fluid.carried(LinkId(i));
    const LinkId link = state_.numbers.link(LinkId(i));
    if (bytes <= 0) continue;
    const topology::Link& of = state_.cluster.link(link);
    result_.link_loads.push_back(
        link_load(link, bytes, state_.is_raised(link) ? of.line_rate : of.bandwidth));
  }
}

}  // namespace railyard::sim
