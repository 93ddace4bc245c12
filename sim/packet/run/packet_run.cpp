#include "sim/packet/run/packet_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "collectives/traffic/traffic.hpp"
#include "core/nearest_rank.hpp"
#include "sim/packet/run/victims.hpp"

namespace railyard::sim::packet {
namespace {

using collectives::Schedule;

/// Transfers with at least this slowdown are recorded as late. Sharing a port with other queue
/// pairs packet by packet causes less.
constexpr double kLate = 1.1;

/// The rank of a participant; for a switch that reduces, its number as a participant.
std::uint32_t rank_of(const Schedule& schedule, collectives::Participant participant) {
  const collectives::Group& group = schedule.group();
  return participant < group.size() ? group.rank(participant).value() : participant;
}

}  // namespace

PacketRun::PacketRun(const topology::Cluster& cluster, const PacketOptions& options,
                     std::span<const collectives::Task> tasks)
    : cluster_(cluster), options_(options), asked_(tasks), runs_(cluster, options, *this) {
  if (options.records) first_record_ = options.records->transfers.size();
  std::size_t message = 0;
  for (std::uint32_t task = 0; task < tasks.size(); ++task) {
    auto traffic_class = static_cast<std::uint32_t>(options.parameters.nic.collective_class);
    bool is_read = false;
    if (tasks[task].schedule->algorithm() == collectives::kMessage) {
      const std::size_t number = message++;
      const auto& classes = options.message_classes;
      traffic_class = number < classes.size() ? classes[number] : 0U;
      is_read = number < options.message_reads.size() && options.message_reads[number];
    }
    (void)runs_.add(*tasks[task].schedule, task, traffic_class, is_read);
    result_.tasks.push_back(
        {.start = tasks[task].start, .finish = tasks[task].start, .bound_by = {"latency", {}, 0}});
  }
  for (const Channel& channel : runs_.channels())
    if (channel.has_overheads)
      result_.tasks[channel.run].finish = asked_[channel.run].start + channel.alpha.launch();
}

collectives::Run PacketRun::run() {
  Engine& engine = runs_.engine();
  if (fast_ != nullptr)
    for (const Channel& channel : runs_.channels())
      ends_.resize(channel.first + channel.replay->size());
  for (std::uint32_t task = 0; task < asked_.size(); ++task) runs_.start(task, asked_[task].start);
  if (options_.records) engine.sample_queues(options_.records->queue_interval);
  if (options_.watch)
    engine.watch([this](Time now) {
      const auto delivered = static_cast<double>(runs_.engine().counters().delivered_bytes);
      const double planned = runs_.planned_bytes();
      return options_.watch({.share = planned > 0 ? delivered / planned : 0, .simulated = now});
    });
  runs_.run();
  sort_by_end();
  if (!engine.is_complete())
    stop_early();
  else if (fast_ != nullptr)
    extrapolate();
  if (options_.records) fill_records();
  const RingSample* sample = uncertainty_ ? fast_->sample : nullptr;
  result_.link_loads =
      sample == nullptr ? runs_.link_loads(scale_) : runs_.link_loads(scale_, sample->links);
  for (collectives::TaskResult& task : result_.tasks)
    task.bound_by = binding(result_.link_loads, task.finish - task.start);
  result_.packets = statistics();
  if (engine.counters().storms > 0)
    result_.notes.push_back(fmt::format(
        "the watchdog of pauses (switches.watchdog) found {} storm{}: it lost {} packets of these "
        "queues",
        engine.counters().storms, engine.counters().storms == 1 ? "" : "s",
        engine.counters().discarded));
  if (engine.counters().returned > 0)
    result_.notes.push_back(
        fmt::format("switches sent {} trimmed packets back to their senders because their control "
                    "queue was full",
                    engine.counters().returned));
  if (engine.counters().trimmed > 0)
    result_.notes.push_back(
        fmt::format("switches cut off the payload of {} packets, which were sent again",
                    engine.counters().trimmed));
  return std::move(result_);
}

// Threads deliver transfers of different nodes in an undefined order.
void PacketRun::sort_by_end() {
  std::ranges::sort(result_.timeline, [](const auto& a, const auto& b) {
    return std::tie(a.end, a.begin, a.track, a.name) < std::tie(b.end, b.begin, b.track, b.name);
  });
  if (!options_.records) return;
  const auto key = [](const TransferRecord& one) {
    return std::tie(one.end, one.task, one.channel, one.source, one.destination, one.start);
  };
  std::ranges::sort(std::span(options_.records->transfers).subspan(first_record_),
                    [&](const auto& a, const auto& b) { return key(a) < key(b); });
}

void PacketRun::extrapolate() {
  std::vector<Extrapolated> channels;
  std::vector<SimulatedTransfer> transfers;
  for (const Channel& channel : runs_.channels()) {
    transfers.clear();
    for (std::uint32_t i = 0; i < channel.replay->size(); ++i) {
      SimulatedTransfer one{.posted = Time::picoseconds(channel.posted[i]),
                            .end = ends_[channel.first + i],
                            .alone = {},
                            .service = {}};
      if (channel.sets[i] != kNone) {
        one.alone = Time::picoseconds(std::llround(runs_.alone(channel, i)));
        one.service = one.alone - Time::picoseconds(std::llround(runs_.fixed(channel, i)));
      }
      transfers.push_back(one);
    }
    channels.push_back(extrapolated(*fast_, channel.index, transfers));
  }
  const Extrapolation whole = combined(channels);
  uncertainty_ = whole.uncertainty;
  if (fast_->sample != nullptr) {
    for (const Channel& channel : runs_.channels()) add_left_out(channel);
    *uncertainty_ += difference_of_twins();
  }
  scale_ =
      static_cast<double>(fast_->whole->transfer_count()) / static_cast<double>(completion_.size());
  result_.tasks.front().finish = whole.finish;
}

// Nodes that were left out have the times of the nodes that stand for them.
void PacketRun::add_left_out(const Channel& channel) {
  const RingSample& sample = *fast_->sample;
  std::vector<std::uint32_t> copies(sample.nodes.size());
  for (const std::uint32_t node : sample.stands) ++copies[node];
  for (std::uint32_t i = 0; i < channel.replay->size(); ++i) {
    const std::uint32_t node = i % sample.places() / sample.per_node;
    const std::int64_t time = ends_[channel.first + i].picoseconds() - channel.posted[i];
    const auto slowdown = static_cast<float>(static_cast<double>(time) / runs_.alone(channel, i));
    completion_.insert(completion_.end(), copies[node] - 1, time);
    slowdown_.insert(slowdown_.end(), copies[node] - 1, slowdown);
  }
}

// The largest difference between the ends of a transfer and of its twin (RingSample::twins).
Time PacketRun::difference_of_twins() const {
  const RingSample& sample = *fast_->sample;
  Time longest;
  for (const Channel& channel : runs_.channels())
    for (std::uint32_t i = 0; i < channel.replay->size(); i += sample.places())
      for (const auto& [one, other] : sample.twins)
        for (std::uint32_t place = 0; place < sample.per_node; ++place) {
          const Time a = ends_[channel.first + i + one * sample.per_node + place];
          const Time b = ends_[channel.first + i + other * sample.per_node + place];
          longest = std::max({longest, a - b, b - a});
        }
  return longest;
}

// If each switch holds fewer bytes than most_without_pause() (at most the sum of its largest
// queues), no input would be paused in the whole cluster either.
bool PacketRun::is_representative() const {
  const Engine& engine = runs_.engine();
  const Counters& counted = engine.counters();
  if (counted.pauses + counted.marked + counted.cnps + counted.lost + counted.nic_lost +
          counted.trimmed + counted.timeouts + counted.retransmitted >
      0)
    return false;
  std::vector<std::int64_t> used(cluster_.device_count());
  for (std::uint32_t i = 0; i < cluster_ports(); ++i)
    if (const LinkId link = fast_->sample->links[i];
        !link.is_none() &&
        topology::is_fabric_switch(cluster_.device(cluster_.link(LinkId(i)).from).kind))
      used[cluster_.link(LinkId(i)).from.index()] += engine.most_queued(link.value());
  for (std::uint32_t device = 0; device < used.size(); ++device)
    if (used[device] > 0 && used[device] >= engine.most_without_pause(device).count()) return false;
  return true;
}

void PacketRun::arrived(const Channel& channel, std::uint32_t transfer, Time at) {
  completion_.push_back(at.picoseconds() - channel.posted[transfer]);
  slowdown_.push_back(
      static_cast<float>(static_cast<double>(completion_.back()) / runs_.alone(channel, transfer)));
  if (options_.timeline) record(channel, transfer, at);
  if (options_.records) note_transfer(channel, transfer, at);
}

void PacketRun::record(const Channel& channel, std::uint32_t transfer, Time at) {
  const collectives::Transfer what = channel.replay->transfer(transfer);
  const std::string& name = asked_[channel.run].name;
  result_.timeline.push_back({fmt::format("{} / channel {} / rank {}",
                                          name.empty() ? fmt::format("task {}", channel.run) : name,
                                          channel.index, what.source),
                              fmt::format("to rank {}", what.destination),
                              Time::picoseconds(channel.posted[transfer]), at,
                              channel.schedule->bytes(channel.index, what)});
}

void PacketRun::note_transfer(const Channel& channel, std::uint32_t transfer, Time at) {
  const collectives::Transfer what = channel.replay->transfer(transfer);
  const TransferRecord one{.task = channel.run,
                           .channel = static_cast<std::uint32_t>(channel.index),
                           .source = rank_of(*channel.schedule, what.source),
                           .destination = rank_of(*channel.schedule, what.destination),
                           .bytes = channel.schedule->bytes(channel.index, what),
                           .start = Time::picoseconds(channel.posted[transfer]),
                           .end = at,
                           .slowdown = slowdown_.back(),
                           .traffic_class = channel.traffic_class};
  if (options_.records->wants_transfers) options_.records->transfers.push_back(one);
  const Time alone = Time::picoseconds(std::llround(runs_.alone(channel, transfer)));
  if (one.slowdown < kLate) return;
  late_.push({one.end - one.start - alone, channel.first + transfer, channel.sets[transfer], one});
  if (late_.size() > PacketRecords::kMostVictims) late_.pop();
}

void PacketRun::ended(const Channel& channel, std::uint32_t transfer, Time at, bool /*open*/) {
  collectives::TaskResult& task = result_.tasks[channel.run];
  task.finish = std::max(task.finish, at);
  if (fast_ != nullptr) ends_[channel.first + transfer] = at;
}

// Tasks that are not complete finish at the time of the last event.
void PacketRun::stop_early() {
  const Engine& engine = runs_.engine();
  for (std::uint32_t task = 0; task < result_.tasks.size(); ++task)
    if (runs_.open_transfers(task) > 0) result_.tasks[task].finish = engine.now();
  const auto delivered = static_cast<double>(engine.counters().delivered_bytes);
  result_.caveats.push_back(fmt::format(
      "interrupted at {:.1f} us of simulated time with {:.1f} % of the bytes delivered: times are "
      "lower bounds, bandwidths upper bounds, and the completion times of the table 'packets' "
      "those of the {} transfers that completed",
      engine.now().microseconds(), 100 * delivered / runs_.planned_bytes(), completion_.size()));
}

void PacketRun::fill_records() {
  const Engine& engine = runs_.engine();
  PacketRecords& records = *options_.records;
  for (const QueueSample& sample : engine.queue_samples())
    if (sample.link < cluster_ports())
      records.queues.push_back(
          {Time::picoseconds(sample.time), LinkId(sample.link), Bytes(sample.bytes)});
  const std::size_t classes = class_count(options_.parameters.switches);
  for (std::uint32_t i = 0; i < cluster_ports(); ++i)
    for (std::uint32_t queue = 0; queue < engine.queues(); ++queue) {
      const Engine::LinkPauses pauses = engine.pauses(i, queue);
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

// Even a packet that starts at once counts as queued, so ports with at most one packet in their
// queue are left out.
void PacketRun::note_ports() {
  const Engine& engine = runs_.engine();
  const auto packet = static_cast<std::uint32_t>(
      std::llround(static_cast<double>(cluster_.spec().fabric.mtu) / engine.payload_share()));
  for (std::uint32_t i = 0; i < cluster_ports(); ++i) {
    const Engine::LinkPauses pauses = engine.pauses(i);
    const std::uint32_t deepest = engine.links()[i].is_sender != 0 ? 0 : engine.most_queued(i);
    if (deepest <= packet && pauses.count == 0) continue;
    options_.records->ports.push_back({.link = LinkId(i),
                                       .deepest = Bytes(deepest),
                                       .pauses = pauses.count,
                                       .paused = Time::picoseconds(pauses.total)});
  }
}

// The route of a connection is that of its first queue pair. If the waits of its ports explain less
// than half of the time that a transfer lost, it waited at its NIC or inside its node.
void PacketRun::find_victims() {
  const Engine& engine = runs_.engine();
  const Connections& connections = runs_.connections();
  std::vector<PortWait> ports(engine.links().ports());
  for (const PortRecord& port : options_.records->ports) {
    const auto bytes = static_cast<std::uint32_t>(port.deepest.count());
    const Link& link = engine.links()[port.link.value()];
    ports[port.link.index()] = {.queued = Time::picoseconds(engine.links().time_on(link, bytes)),
                                .paused = port.paused};
  }
  std::vector<std::vector<std::uint32_t>> routes(connections.size());
  for (std::uint32_t set = 0; set < routes.size(); ++set)
    for (const topology::Hop& hop : connections[set].route) routes[set].push_back(hop.link.value());
  const std::vector<Wait> waits = find_waits(routes, ports);
  const auto link_of = [](std::uint32_t port) { return port == kNone ? LinkId() : LinkId(port); };
  for (; !late_.empty(); late_.pop()) {
    const SlowTransfer& late = late_.top();
    Wait wait = waits[late.set];
    if (wait.port != kNone && 2 * (ports[wait.port].queued + ports[wait.port].paused) < late.lost)
      wait = {kNone, kNone};
    options_.records->victims.push_back(
        {late.transfer, link_of(wait.port), link_of(wait.cause), wait.connections});
  }
  std::ranges::reverse(options_.records->victims);
}

collectives::Binding PacketRun::binding(std::span<const collectives::LinkLoad> loads,
                                        Time span) const {
  // A link that is busy for less than half of the time does not limit a task.
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
  const Engine& engine = runs_.engine();
  const Counters& counted = engine.counters();
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
  const double hop_scale = uncertainty_ && fast_->sample != nullptr ? fast_->sample->hops : 1;
  const auto of_all_nodes = [&](std::uint64_t count) {
    if (hop_scale == 1) return scaled(count);
    return static_cast<std::uint64_t>(
        std::llround(scale_ * hop_scale * static_cast<double>(count)));
  };
  all.data_hops = of_all_nodes(counted.data_hops);
  all.events = of_all_nodes(counted.events);
  all.marked = scaled(counted.marked);
  all.cnps = scaled(counted.cnps);
  all.pauses = scaled(counted.pauses);
  all.paused = Time::picoseconds(
      static_cast<std::int64_t>(scaled(static_cast<std::uint64_t>(counted.paused.picoseconds()))));
  all.lost = scaled(counted.lost);
  all.nic_lost = scaled(counted.nic_lost);
  all.retransmitted = scaled(counted.retransmitted);
  all.timeouts = scaled(counted.timeouts);
  std::int64_t longest = 0;
  for (std::uint32_t i = 0; i < cluster_ports(); ++i) {
    const Bytes most(engine.most_queued(i));
    if (engine.links()[i].is_sender == 0 && most > all.deepest_queue) {
      all.deepest_queue = most;
      all.deepest_link = LinkId(i);
    }
    if (engine.pauses(i).total <= longest) continue;
    longest = engine.pauses(i).total;
    all.most_paused = LinkId(i);
  }
  return all;
}

}  // namespace railyard::sim::packet
