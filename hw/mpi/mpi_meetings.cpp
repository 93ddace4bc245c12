#include "hw/mpi/mpi_meetings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "core/diagnostic.hpp"

namespace railyard::hw::mpi {
namespace {

std::uint64_t tags_of(const Program& program) {
  std::uint64_t most = 1;
  for (const Message& message : program.messages) most = std::max(most, message.sequence + 1);
  return most;
}

std::uint64_t largest(World& world, std::uint64_t mine) {
  std::uint64_t most = mine;
  for (const std::string& text : world.gather(std::to_string(mine)))
    most = std::max<std::uint64_t>(most, std::stoull(text));
  return std::stoull(world.broadcast(std::to_string(most)));
}

}  // namespace

MpiMeetings::MpiMeetings(const Communicator& communicator, World& world, const LiveLoads& loads,
                         const Options& options)
    : communicator_(communicator),
      world_(world),
      loads_(loads),
      options_(options),
      most_tag_(largest_tag(options.signals, communicator.caller)),
      idle_(loads.load_count()) {
  for (std::uint32_t load = 0; load < idle_.size(); ++load) {
    const std::span<const std::uint32_t> ranks = loads.ranks(load);
    if (loads.schedule(load) == nullptr || std::ranges::find(ranks, world.process()) == ranks.end())
      continue;
    idle_[load].push_back(new_schedule(load));
    tags_ = std::max(tags_, tags_of(idle_[load].back()->program()));
  }
  tags_ = largest(world, tags_);
}

MpiMeetings::~MpiMeetings() = default;

std::unique_ptr<RankSchedule> MpiMeetings::new_schedule(std::uint32_t load) const {
  const std::span<const std::uint32_t> ranks = loads_.ranks(load);
  const auto position = std::ranges::find(ranks, world_.process()) - ranks.begin();
  return std::make_unique<RankSchedule>(
      communicator_, options_.messages, *loads_.schedule(load),
      RankSchedule::Options{.division = {.processes = static_cast<std::uint32_t>(ranks.size()),
                                         .process = static_cast<std::uint32_t>(position)},
                            .ranks = {ranks.begin(), ranks.end()},
                            .seed = options_.seed,
                            .separate_inputs = false,
                            .pieces = options_.pieces});
}

void MpiMeetings::start(bool checks) {
  checks_ = checks;
  check_ = {};
}

void MpiMeetings::arrive(std::uint32_t meeting, collectives::OperationId operation) {
  Begun& its = begun_.emplace_back(
      Begun{.meeting = meeting, .operation = operation, .signals = {}, .start = {}});
  const int tag = static_cast<int>(meeting % (static_cast<std::uint64_t>(most_tag_) + 1));
  for (const std::uint32_t rank : loads_.ranks(loads_.load_of(meeting))) {
    if (rank == world_.process()) continue;
    const int peer = static_cast<int>(rank);
    require(MPI_Irecv(nullptr, 0, MPI_BYTE, peer, tag, options_.signals,
                      &its.signals.emplace_back(MPI_REQUEST_NULL)),
            communicator_.caller, "MPI_Irecv of a signal");
    require(MPI_Isend(nullptr, 0, MPI_BYTE, peer, tag, options_.signals,
                      &its.signals.emplace_back(MPI_REQUEST_NULL)),
            communicator_.caller, "MPI_Isend of a signal");
  }
}

std::vector<LiveEnd> MpiMeetings::wait(Time until) {
  PollingWait polling(communicator_.waiting);
  while (true) {
    bool has_moved = false;
    for (Begun& its : begun_) has_moved |= advance(its);
    std::vector<LiveEnd> ended = take_ended();
    if (!ended.empty() || world_.now() >= until) return ended;
    if (has_moved)
      polling.progressed();
    else if (!polling.pause() && until == Time::never())
      give_up(polling.timeout());
  }
}

/// Advances a meeting; returns whether something has arrived for it.
bool MpiMeetings::advance(Begun& its) {
  if (its.is_started) return its.schedule != nullptr && its.schedule->advance();
  if (!all_are_there(its)) return false;
  begin_moving(its);
  return true;
}

bool MpiMeetings::all_are_there(Begun& its) {
  int flag = 0;
  require(MPI_Testall(static_cast<int>(its.signals.size()), its.signals.data(), &flag,
                      MPI_STATUSES_IGNORE),
          communicator_.caller, "MPI_Testall of signals");
  return flag != 0;
}

void MpiMeetings::begin_moving(Begun& its) {
  its.is_started = true;
  its.start = world_.now();
  const std::uint32_t load = loads_.load_of(its.meeting);
  if (loads_.schedule(load) == nullptr) return;
  auto& idle = idle_[load];
  if (idle.empty()) idle.push_back(new_schedule(load));
  its.schedule = std::move(idle.back());
  idle.pop_back();
  if (checks_) its.schedule->memory().reset();
  its.schedule->begin(its.meeting * tags_);
}

std::vector<LiveEnd> MpiMeetings::take_ended() {
  std::vector<LiveEnd> ended;
  for (Begun& its : begun_) {
    if (!its.is_started || (its.schedule != nullptr && !its.schedule->replay().is_done())) continue;
    if (its.schedule != nullptr) finish(its);
    ended.push_back({.operation = its.operation, .start = its.start, .end = world_.now()});
    its.operation.which = collectives::OperationId::kNone;
  }
  std::erase_if(begun_, [](const Begun& its) {
    return its.operation.which == collectives::OperationId::kNone;
  });
  return ended;
}

void MpiMeetings::finish(Begun& its) {
  its.schedule->finish();
  if (checks_) check_ += its.schedule->memory().check();
  idle_[loads_.load_of(its.meeting)].push_back(std::move(its.schedule));
}

void MpiMeetings::give_up(Time timeout) const {
  const auto moving = std::ranges::find_if(
      begun_, [](const Begun& its) { return its.is_started && its.schedule != nullptr; });
  if (moving != begun_.end()) moving->schedule->replay().give_up(timeout);
  const collectives::OperationId first = begun_.front().operation;
  throw BackendError(fmt::format(
      "{}: {} has waited for its other ranks for {}", communicator_.caller.text(),
      loads_.workload().describe(first.which, first.operation), core::to_text(timeout)));
}

}  // namespace railyard::hw::mpi
