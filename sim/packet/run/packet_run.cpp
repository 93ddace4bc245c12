#include "sim/packet/run/packet_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "collectives/schedule/line_format.hpp"
#include "collectives/traffic/traffic.hpp"
#include "core/diagnostic.hpp"
#include "core/nearest_rank.hpp"
#include "sim/link_capacity.hpp"
#include "sim/packet/run/victims.hpp"

namespace railyard::sim::packet {
namespace {

using collectives::Schedule;

/// Slowdown from which a transfer is late; turns of other queue pairs cost less.
constexpr double kLate = 1.1;

/// The rank of a participant of the cluster; of a switch that reduces its number as participant.
std::uint32_t rank_of(const Schedule& schedule, collectives::Participant participant) {
  const collectives::Group& group = schedule.group();
  return participant < group.size() ? group.rank(participant).value() : participant;
}

}  // namespace

PacketRun::PacketRun(const topology::Cluster& cluster, const PacketOptions& options,
                     std::span<const collectives::Task> tasks)
    : cluster_(cluster),
      options_(options),
      asked_(tasks),
      engine_(network_of(cluster, options.faults, options.parameters.transport), options.parameters,
              options.routing.seed),
      connections_(cluster, engine_, options),
      open_transfers_(tasks.size(), 0) {
  result_.tasks.resize(tasks.size());
  std::size_t message = 0;
  const auto class_of = [&](const collectives::Task& task) {
    if (task.schedule->algorithm() != collectives::kMessage)
      return static_cast<std::uint32_t>(options.parameters.nic.collective_class);
    const std::size_t number = message++;
    return number < options.message_classes.size() ? options.message_classes[number] : 0U;
  };
  for (std::uint32_t task = 0; task < tasks.size(); ++task) plan(task, class_of(tasks[task]));
}

void PacketRun::plan(std::uint32_t task, std::uint32_t traffic_class) {
  const Schedule& schedule = *asked_[task].schedule;
  const AlphaModel alpha(cluster_, schedule.protocol());
  const bool has_overheads = schedule.algorithm() != collectives::kMessage;
  for (std::size_t c = 0; c < schedule.channels().size(); ++c) {
    Channel& channel = channels_.emplace_back(
        Channel{.schedule = &schedule,
                .index = c,
                .task = task,
                .traffic_class = traffic_class,
                .first = static_cast<std::uint32_t>(sets_.size()),
                .wire = collectives::bytes_per_data_byte(schedule.protocol()),
                .alpha = alpha,
                .has_overheads = has_overheads,
                .replay = Replay(schedule.channels()[c].loops, schedule.participants())});
    const std::uint32_t label = connection_label(task, c);
    for (std::uint32_t i = 0; i < channel.replay.size(); ++i) {
      const collectives::Transfer transfer = channel.replay.transfer(i);
      const bool moves = transfer.source != transfer.destination;
      sets_.push_back(moves ? connections_.of(schedule, transfer, label, traffic_class) : kNone);
      if (moves)
        planned_bytes_ +=
            std::ceil(static_cast<double>(schedule.bytes(c, transfer).count()) * channel.wire);
    }
    open_transfers_[task] += channel.replay.size();
  }
  open_parts_.resize(sets_.size(), 0);
  posted_.resize(sets_.size(), 0);
  result_.tasks[task] = {.start = asked_[task].start,
                         .finish = asked_[task].start + (has_overheads ? alpha.launch() : Time()),
                         .bound_by = {"latency", {}, 0}};
}

collectives::Run PacketRun::run() {
  if (fast_ != nullptr)
    for (Channel& channel : channels_) channel.ends.resize(channel.replay.size());
  for (Channel& channel : channels_) {
    ready_.clear();
    channel.replay.start(ready_);
    const Time launched =
        asked_[channel.task].start + (channel.has_overheads ? channel.alpha.launch() : Time());
    const std::vector<Replay::Number> first = ready_;
    for (const Replay::Number number : first) begin(channel, number, launched);
  }
  while (!empty_.empty()) {
    const auto [transfer, at] = empty_.back();
    empty_.pop_back();
    finish(transfer, at);
  }
  engine_.name_links([this](std::uint32_t link) { return cluster_.name(LinkId(link)); });
  if (options_.records) engine_.sample_queues(options_.records->queue_interval);
  if (options_.watch)
    engine_.watch([this](Time now) {
      const auto delivered = static_cast<double>(engine_.counters().delivered_bytes);
      return options_.watch(
          {.share = planned_bytes_ > 0 ? delivered / planned_bytes_ : 0, .simulated = now});
    });
  engine_.run(*this);
  if (!engine_.is_complete())
    stop_early();
  else if (fast_ != nullptr)
    extrapolate();
  if (options_.records) fill_records();
  const std::vector<std::uint64_t> carried = engine_.carried();
  for (std::size_t i = 0; i < carried.size(); ++i)
    if (carried[i] > 0)
      result_.link_loads.push_back(link_load(LinkId(i), scale_ * static_cast<double>(carried[i]),
                                             cluster_.link(LinkId(i)).bandwidth));
  for (collectives::TaskResult& task : result_.tasks)
    task.bound_by = binding(result_.link_loads, task.finish - task.start);
  result_.packets = statistics();
  if (engine_.counters().returned > 0)
    result_.notes.push_back(
        fmt::format("switches sent {} trimmed packets back to their senders because their control "
                    "queue was full",
                    engine_.counters().returned));
  if (engine_.counters().trimmed > 0)
    result_.notes.push_back(
        fmt::format("switches cut off the payload of {} packets, which were sent again",
                    engine_.counters().trimmed));
  return std::move(result_);
}

void PacketRun::extrapolate() {
  std::vector<Extrapolated> channels;
  std::vector<SimulatedTransfer> transfers;
  for (const Channel& channel : channels_) {
    transfers.clear();
    for (std::uint32_t i = 0; i < channel.replay.size(); ++i) {
      const std::uint32_t number = channel.first + i;
      SimulatedTransfer one{.posted = Time::picoseconds(posted_[number]),
                            .end = channel.ends[i],
                            .alone = {},
                            .service = {}};
      if (sets_[number] != kNone) {
        one.alone = Time::picoseconds(std::llround(alone(channel, number)));
        one.service =
            one.alone - Time::picoseconds(std::llround(connections_[sets_[number]].fixed));
      }
      transfers.push_back(one);
    }
    channels.push_back(extrapolated(*fast_, channel.index, transfers));
  }
  const Extrapolation whole = combined(channels);
  uncertainty_ = whole.uncertainty;
  scale_ = static_cast<double>(fast_->whole->transfer_count()) /
           static_cast<double>(asked_.front().schedule->transfer_count());
  result_.tasks.front().finish = whole.finish;
}

void PacketRun::begin(Channel& channel, std::uint32_t local, Time ready) {
  const std::uint32_t number = channel.first + local;
  const collectives::Transfer transfer = channel.replay.transfer(local);
  const std::uint32_t set_number = sets_[number];
  const double payload =
      static_cast<double>(channel.schedule->bytes(channel.index, transfer).count());
  const auto bytes = static_cast<std::int64_t>(std::ceil(payload * channel.wire));
  if (set_number == kNone || bytes == 0) {
    posted_[number] = ready.picoseconds();
    empty_.emplace_back(number, ready);
    return;
  }
  const PairSet& set = connections_[set_number];
  const Time at = channel.has_overheads ? ready + channel.alpha.overhead(set.route) : ready;
  posted_[number] = at.picoseconds();
  const auto parts = std::min<std::int64_t>(set.count, bytes);
  open_parts_[number] = static_cast<std::uint16_t>(parts);
  for (std::int64_t i = 0; i < parts; ++i) {
    const std::int64_t share = bytes / parts + (i < bytes % parts ? 1 : 0);
    engine_.post(set.first + static_cast<std::uint32_t>(i), at + set.lead, Bytes(share), number);
  }
}

// ps that a transfer takes on an empty network.
double PacketRun::alone(const Channel& channel, std::uint32_t transfer) const {
  const PairSet& set = connections_[sets_[transfer]];
  const auto bytes = static_cast<double>(
      channel.schedule->bytes(channel.index, channel.replay.transfer(transfer - channel.first))
          .count());
  return set.fixed + bytes * channel.wire * set.per_byte / set.ports;
}

void PacketRun::delivered(std::uint32_t tag, Time at) {
  if (--open_parts_[tag] > 0) return;
  const Channel& channel = channel_of(tag);
  completion_.push_back(at.picoseconds() - posted_[tag]);
  slowdown_.push_back(
      static_cast<float>(static_cast<double>(completion_.back()) / alone(channel, tag)));
  if (options_.timeline) record(channel, tag, at);
  if (options_.records) note_transfer(channel, tag, at);
  finish(tag, at);
  while (!empty_.empty()) {
    const auto [transfer, when] = empty_.back();
    empty_.pop_back();
    finish(transfer, when);
  }
}

void PacketRun::record(const Channel& channel, std::uint32_t number, Time at) {
  const collectives::Transfer transfer = channel.replay.transfer(number - channel.first);
  const std::string& name = asked_[channel.task].name;
  result_.timeline.push_back(
      {fmt::format("{} / channel {} / rank {}",
                   name.empty() ? fmt::format("task {}", channel.task) : name, channel.index,
                   transfer.source),
       fmt::format("to rank {}", transfer.destination), Time::picoseconds(posted_[number]), at,
       channel.schedule->bytes(channel.index, transfer)});
}

void PacketRun::note_transfer(const Channel& channel, std::uint32_t number, Time at) {
  const collectives::Transfer transfer = channel.replay.transfer(number - channel.first);
  const TransferRecord one{.task = channel.task,
                           .channel = static_cast<std::uint32_t>(channel.index),
                           .source = rank_of(*channel.schedule, transfer.source),
                           .destination = rank_of(*channel.schedule, transfer.destination),
                           .bytes = channel.schedule->bytes(channel.index, transfer),
                           .start = Time::picoseconds(posted_[number]),
                           .end = at,
                           .slowdown = slowdown_.back(),
                           .traffic_class = channel.traffic_class};
  if (options_.records->wants_transfers) options_.records->transfers.push_back(one);
  const Time lost = one.end - one.start - Time::picoseconds(std::llround(alone(channel, number)));
  if (one.slowdown < kLate) return;
  late_.push({lost, number, one});
  if (late_.size() > PacketRecords::kMostVictims) late_.pop();
}

void PacketRun::finish(std::uint32_t transfer, Time at) {
  Channel& channel = channel_of(transfer);
  collectives::TaskResult& task = result_.tasks[channel.task];
  task.finish = std::max(task.finish, at);
  --open_transfers_[channel.task];
  if (fast_ != nullptr) channel.ends[transfer - channel.first] = at;
  ready_.clear();
  channel.replay.complete(transfer - channel.first, ready_);
  const std::vector<Replay::Number> now_ready(ready_);
  for (const Replay::Number number : now_ready) begin(channel, number, at);
}

// Times of tasks that are not done are those of the last event.
void PacketRun::stop_early() {
  for (std::size_t task = 0; task < result_.tasks.size(); ++task)
    if (open_transfers_[task] > 0) result_.tasks[task].finish = engine_.now();
  const auto delivered = static_cast<double>(engine_.counters().delivered_bytes);
  result_.notes.push_back(fmt::format(
      "interrupted at {:.1f} us of simulated time with {:.1f} % of the bytes delivered: times are "
      "lower bounds, bandwidths upper bounds, and the completion times of the table 'packets' "
      "those "
      "of the {} transfers that completed",
      engine_.now().microseconds(), 100 * delivered / planned_bytes_, completion_.size()));
}

void PacketRun::fill_records() {
  PacketRecords& records = *options_.records;
  for (const QueueSample& sample : engine_.queue_samples())
    records.queues.push_back(
        {Time::picoseconds(sample.time), LinkId(sample.link), Bytes(sample.bytes)});
  const std::size_t classes = class_count(options_.parameters.switches);
  for (std::uint32_t i = 0; i < engine_.links().ports(); ++i)
    for (std::uint32_t queue = 0; queue < engine_.queues(); ++queue) {
      const Engine::LinkPauses pauses = engine_.pauses(i, queue);
      if (pauses.count == 0) continue;
      records.pauses.push_back(
          {.link = LinkId(i),
           .traffic_class = queue < classes ? static_cast<int>(queue) : PauseRecord::kControl,
           .count = pauses.count,
           .total = Time::picoseconds(pauses.total)});
    }
  std::stable_sort(records.pauses.begin(), records.pauses.end(),
                   [](const PauseRecord& a, const PauseRecord& b) { return a.total > b.total; });
  note_ports();
  find_victims();
}

// A packet that starts at once has been in the queue too: a queue has more than one packet.
void PacketRun::note_ports() {
  const auto packet = static_cast<std::uint32_t>(
      std::llround(static_cast<double>(cluster_.spec().fabric.mtu) / engine_.payload_share()));
  for (std::uint32_t i = 0; i < engine_.links().ports(); ++i) {
    const Engine::LinkPauses pauses = engine_.pauses(i);
    const std::uint32_t deepest = engine_.links()[i].is_sender != 0 ? 0 : engine_.most_queued(i);
    if (deepest <= packet && pauses.count == 0) continue;
    options_.records->ports.push_back({.link = LinkId(i),
                                       .deepest = Bytes(deepest),
                                       .pauses = pauses.count,
                                       .paused = Time::picoseconds(pauses.total)});
  }
}

// A connection has the route of its first queue pair. Where the waits of its ports explain less
// than half of what a transfer lost, it waited at its NIC or inside its node.
void PacketRun::find_victims() {
  std::vector<PortWait> ports(engine_.links().ports());
  for (const PortRecord& port : options_.records->ports) {
    const auto bytes = static_cast<std::uint32_t>(port.deepest.count());
    const Link& link = engine_.links()[port.link.value()];
    ports[port.link.index()] = {.queued = Time::picoseconds(engine_.links().time_on(link, bytes)),
                                .paused = port.paused};
  }
  std::vector<std::vector<std::uint32_t>> routes(connections_.size());
  for (std::uint32_t set = 0; set < routes.size(); ++set)
    for (const topology::Hop& hop : connections_[set].route)
      routes[set].push_back(hop.link.value());
  const std::vector<Wait> waits = find_waits(routes, ports);
  const auto link_of = [](std::uint32_t port) { return port == kNone ? LinkId() : LinkId(port); };
  for (; !late_.empty(); late_.pop()) {
    const Late& late = late_.top();
    Wait wait = waits[sets_[late.number]];
    if (wait.port != kNone && 2 * (ports[wait.port].queued + ports[wait.port].paused) < late.lost)
      wait = {kNone, kNone};
    options_.records->victims.push_back(
        {late.transfer, link_of(wait.port), link_of(wait.cause), wait.connections});
  }
  std::ranges::reverse(options_.records->victims);
}

PacketRun::Channel& PacketRun::channel_of(std::uint32_t transfer) {
  const auto behind = std::upper_bound(
      channels_.begin(), channels_.end(), transfer,
      [](std::uint32_t number, const Channel& channel) { return number < channel.first; });
  return *std::prev(behind);
}

collectives::Binding PacketRun::binding(std::span<const collectives::LinkLoad> loads,
                                        Time span) const {
  // Below half of the time no link bounds a task by its bandwidth.
  double most = 0.5;
  collectives::Binding found{"latency", {}, 0};
  for (const collectives::LinkLoad& load : loads) {
    const double utilisation = span > Time() ? load.busy.seconds() / span.seconds() : 0;
    if (utilisation <= most) continue;
    most = utilisation;
    found = {cluster_.name(load.link), load.link, std::min(utilisation, 1.0)};
  }
  return found;
}

collectives::PacketStatistics PacketRun::statistics() {
  const Counters& counted = engine_.counters();
  collectives::PacketStatistics all;
  const auto scaled = [&](std::uint64_t count) {
    if (scale_ == 1) return count;
    return static_cast<std::uint64_t>(std::llround(scale_ * static_cast<double>(count)));
  };
  all.transfers = scaled(completion_.size());
  all.fct_p50 = Time::picoseconds(core::nearest_rank(completion_, 0.5));
  all.fct_p99 = Time::picoseconds(core::nearest_rank(completion_, 0.99));
  all.fct_max = Time::picoseconds(core::nearest_rank(completion_, 1));
  all.slowdown_p50 = core::nearest_rank(slowdown_, 0.5);
  all.slowdown_p99 = core::nearest_rank(slowdown_, 0.99);
  all.slowdown_max = core::nearest_rank(slowdown_, 1);
  all.data_hops = scaled(counted.data_hops);
  all.events = scaled(counted.events);
  all.marked = scaled(counted.marked);
  all.cnps = scaled(counted.cnps);
  all.pauses = scaled(counted.pauses);
  all.paused = Time::picoseconds(
      static_cast<std::int64_t>(scaled(static_cast<std::uint64_t>(counted.paused.picoseconds()))));
  all.lost = scaled(counted.lost);
  all.retransmitted = scaled(counted.retransmitted);
  all.timeouts = scaled(counted.timeouts);
  std::int64_t longest = 0;
  for (std::uint32_t i = 0; i < engine_.links().ports(); ++i) {
    const Bytes most(engine_.most_queued(i));
    if (engine_.links()[i].is_sender == 0 && most > all.deepest_queue) {
      all.deepest_queue = most;
      all.deepest_link = LinkId(i);
    }
    if (engine_.pauses(i).total <= longest) continue;
    longest = engine_.pauses(i).total;
    all.most_paused = LinkId(i);
  }
  return all;
}

}  // namespace railyard::sim::packet
