#include "sim/packet/run/schedule_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "collectives/schedule/line_format.hpp"
#include "collectives/traffic/traffic.hpp"
#include "core/diagnostic.hpp"
#include "sim/flow/transfer_sequence.hpp"
#include "sim/link_capacity.hpp"

namespace railyard::sim::packet {

using collectives::Schedule;

namespace {

/// Threads are faster from this number of sending ranks per thread on (results/packet_speed.md).
constexpr std::size_t kLeastPerThread = 32;

}  // namespace

ScheduleRuns::ScheduleRuns(const topology::Cluster& cluster, const PacketOptions& options,
                           Listener& listener)
    : cluster_(cluster),
      listener_(listener),
      engine_(network_of(cluster, options.faults, options.parameters.transport), options.parameters,
              options.routing.seed),
      connections_(cluster, engine_, options),
      sends_(cluster.rank_count()),
      threads_(options.threads),
      announce_(options.announce) {
  engine_.name_links([this](std::uint32_t link) { return connections_.link_name(link); });
  engine_.name_messages([this](std::uint32_t tag) { return name_of(tag); });
}

void ScheduleRuns::connect(const Schedule& schedule, std::size_t label, std::uint32_t traffic_class,
                           bool is_read) {
  for (std::size_t c = 0; c < schedule.channels().size(); ++c) {
    const TransferSequence transfers(schedule.channels()[c].loops);
    for (std::uint64_t i = 0; i < transfers.size(); ++i)
      if (const collectives::Transfer transfer = transfers[i];
          transfer.source != transfer.destination)
        (void)connections_.of(schedule, transfer, connection_label(label, c), traffic_class,
                              is_read);
  }
}

std::uint32_t ScheduleRuns::add(const Schedule& schedule, std::size_t label,
                                std::uint32_t traffic_class, bool is_read) {
  const AlphaModel alpha(cluster_, schedule.protocol());
  Run& run =
      runs_.emplace_back(Run{.first = channels_.size(), .count = schedule.channels().size()});
  for (std::size_t c = 0; c < run.count; ++c) {
    Channel& channel = channels_.emplace_back(Channel{
        .schedule = &schedule,
        .index = c,
        .run = static_cast<std::uint32_t>(runs_.size() - 1),
        .traffic_class = traffic_class,
        .first = static_cast<std::uint32_t>(transfers_),
        .wire = collectives::bytes_per_data_byte(schedule.protocol()),
        .alpha = alpha,
        .has_overheads = schedule.algorithm() != collectives::kMessage,
        .replay = std::make_unique<Replay>(schedule.channels()[c].loops, schedule.participants())});
    const std::uint32_t count = channel.replay->size();
    transfers_ += count;
    if (transfers_ > std::numeric_limits<std::uint32_t>::max())
      throw InputError("", "--fidelity", "packet simulation supports 2^32 transfers in a run",
                       "--fidelity flow");
    for (std::uint32_t i = 0; i < count; ++i) {
      const collectives::Transfer transfer = channel.replay->transfer(i);
      const bool moves = transfer.source != transfer.destination;
      channel.sets.push_back(moves ? connections_.of(schedule, transfer, connection_label(label, c),
                                                     traffic_class, is_read)
                                   : kNone);
      if (!moves) continue;
      if (!schedule.is_reducer(transfer.source))
        sends_[schedule.group().rank(transfer.source).index()] = true;
      const double bytes =
          std::ceil(static_cast<double>(schedule.bytes(c, transfer).count()) * channel.wire);
      planned_bytes_ += bytes;
      has_empty_ = has_empty_ || bytes == 0;
    }
    channel.open_parts.resize(count, 0);
    channel.posted.resize(count, 0);
    run.open += count;
  }
  return static_cast<std::uint32_t>(runs_.size() - 1);
}

void ScheduleRuns::start(std::uint32_t run, Time at, Time not_before) {
  for (std::size_t c = runs_[run].first; c < runs_[run].first + runs_[run].count; ++c) {
    Channel& channel = channels_[c];
    ready_.clear();
    channel.replay->start(ready_);
    const Time launched = at + (channel.has_overheads ? channel.alpha.launch() : Time());
    const std::vector<Replay::Number> first = ready_;
    for (const Replay::Number number : first)
      begin(channel, number, std::max(launched, not_before));
  }
  if (is_prepared_) finish_empty();
}

int ScheduleRuns::threads() {
  const auto senders = static_cast<std::size_t>(std::ranges::count(sends_, true));
  const auto most = static_cast<int>(senders / kLeastPerThread);
  if (threads_ < 2 || most < 2) return 1;
  std::string_view why = engine_.why_one_thread();
  if (has_empty_) why = "some transfers have no bytes";
  if (why.empty()) return std::min(threads_, most);
  if (announce_) announce_(fmt::format("packet simulation uses one thread: {}", why));
  return 1;
}

void ScheduleRuns::run() {
  finish_empty();
  engine_.use_threads(threads());
  engine_.run(*this);
}

void ScheduleRuns::prepare(Time longest) {
  finish_empty();
  engine_.prepare(*this, longest);
  is_prepared_ = true;
}

void ScheduleRuns::drop(std::uint32_t run) {
  for (std::size_t c = runs_[run].first; c < runs_[run].first + runs_[run].count; ++c) {
    channels_[c].replay.reset();
    channels_[c].sets = {};
    channels_[c].open_parts = {};
    channels_[c].posted = {};
  }
}

void ScheduleRuns::begin(Channel& channel, std::uint32_t transfer, Time ready) {
  const collectives::Transfer what = channel.replay->transfer(transfer);
  const std::uint32_t set_number = channel.sets[transfer];
  const double payload = static_cast<double>(channel.schedule->bytes(channel.index, what).count());
  const auto bytes = static_cast<std::int64_t>(std::ceil(payload * channel.wire));
  const std::uint32_t number = channel.first + transfer;
  if (set_number == kNone || bytes == 0) {
    channel.posted[transfer] = ready.picoseconds();
    empty_.emplace_back(number, ready);
    return;
  }
  const PairSet& set = connections_[set_number];
  const Time at = channel.has_overheads ? ready + channel.alpha.overhead(set.route) : ready;
  channel.posted[transfer] = at.picoseconds();
  const auto parts = std::min<std::int64_t>(set.count, bytes);
  channel.open_parts[transfer] = static_cast<std::uint16_t>(parts);
  for (std::int64_t i = 0; i < parts; ++i) {
    const std::int64_t share = bytes / parts + (i < bytes % parts ? 1 : 0);
    engine_.post(set.first + static_cast<std::uint32_t>(i), at + set.lead, Bytes(share), number);
  }
}

double ScheduleRuns::alone(const Channel& channel, std::uint32_t transfer) const {
  const PairSet& set = connections_[channel.sets[transfer]];
  const auto bytes = static_cast<double>(
      channel.schedule->bytes(channel.index, channel.replay->transfer(transfer)).count());
  return set.fixed + bytes * channel.wire * set.per_byte / set.ports;
}

void ScheduleRuns::delivered(std::uint32_t tag, Time at) {
  Channel& channel = channel_of(tag);
  const std::uint32_t transfer = tag - channel.first;
  if (--channel.open_parts[transfer] > 0) return;
  listener_.arrived(channel, transfer, at);
  finish(channel, transfer, at);
  finish_empty();
}

void ScheduleRuns::finish(Channel& channel, std::uint32_t transfer, Time at) {
  const bool open = --runs_[channel.run].open > 0;
  ready_.clear();
  channel.replay->complete(transfer, ready_);
  const std::vector<Replay::Number> now_ready(ready_);
  listener_.ended(channel, transfer, at, open);
  for (const Replay::Number number : now_ready) begin(channel, number, at);
}

void ScheduleRuns::finish_empty() {
  while (!empty_.empty()) {
    const auto [number, at] = empty_.back();
    empty_.pop_back();
    Channel& channel = channel_of(number);
    finish(channel, number - channel.first, at);
  }
}

ScheduleRuns::Channel& ScheduleRuns::channel_of(std::uint32_t number) {
  const auto behind = std::upper_bound(
      channels_.begin(), channels_.end(), number,
      [](std::uint32_t sought, const Channel& channel) { return sought < channel.first; });
  return *std::prev(behind);
}

std::string ScheduleRuns::name_of(std::uint32_t number) {
  const Channel& channel = channel_of(number);
  if (channel.replay == nullptr) return "a transfer that has arrived without its acknowledgement";
  const collectives::Transfer what = channel.replay->transfer(number - channel.first);
  const auto device = [&](collectives::Participant participant) {
    return cluster_.name(channel.schedule->device(cluster_, participant));
  };
  return fmt::format("the transfer of {} from {} to {} (channel {})",
                     core::to_text(channel.schedule->bytes(channel.index, what)),
                     device(what.source), device(what.destination), channel.index);
}

std::vector<collectives::LinkLoad> ScheduleRuns::link_loads(double scale,
                                                            std::span<const LinkId> stands) const {
  std::vector<collectives::LinkLoad> loads;
  const std::vector<std::uint64_t> carried = engine_.carried();
  for (std::size_t i = 0; i < cluster_.links().size(); ++i) {
    const LinkId link = stands.empty() ? LinkId(i) : stands[i];
    if (!link.is_none() && carried[link.index()] > 0)
      loads.push_back(link_load(LinkId(i), scale * static_cast<double>(carried[link.index()]),
                                cluster_.link(LinkId(i)).bandwidth));
  }
  return loads;
}

}  // namespace railyard::sim::packet
