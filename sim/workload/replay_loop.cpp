#include "sim/workload/replay_loop.hpp"

#include <algorithm>
#include <cmath>

#include "sim/workload/load_profiles.hpp"

namespace railyard::sim {

using collectives::OperationId;
using collectives::OperationKind;
using collectives::OperationRun;
using collectives::ProgramOrder;
using collectives::WaitCause;

ReplayLoop::ReplayLoop(const collectives::Communications& communications,
                       const collectives::Meetings& meetings, const FoldedNetwork& network,
                       std::span<const IsolatedTime> profiles, LoadTraffic& traffic,
                       const ReplayOptions& options)
    : meetings_(meetings),
      profiles_(profiles),
      traffic_(traffic),
      slows_computation_(options.slows_computation) {
  const collectives::Workload& w = communications.workload();
  for (const collectives::Program& program : w.programs()) orders_.emplace_back(program);
  if (options.folds)
    for (std::size_t p = 0; p < orders_.size(); ++p)
      sequences_.emplace_back(w.programs()[p], orders_[p]);
  for (const auto& ranks : network.classes.ranks) {
    const std::uint32_t program = w.roles()[w.role_of(ranks.front())].program;
    classes_.push_back({.number = program,
                        .program = &w.programs()[program],
                        .order = &orders_[program],
                        .waits = orders_[program].waits,
                        .computing = {},
                        .shares = {}});
    runs_.emplace_back(orders_[program].waits.size());
  }
  for (const collectives::Meeting& meeting : meetings.meetings) missing_.push_back(meeting.count);
}

void ReplayLoop::push(Event event) {
  event.sequence = sequence_++;
  events_.push_back(event);
  std::ranges::push_heap(events_, Later{});
}

std::vector<std::vector<OperationRun>> ReplayLoop::run() {
  for (std::uint32_t c = 0; c < classes_.size(); ++c)
    for (std::uint32_t i = 0; i < classes_[c].waits.size(); ++i)
      if (classes_[c].waits[i] == 0) ready_.push_back({c, i});
  begin_ready();
  while (!events_.empty() || !traffic_.is_idle()) {
    if (advance_traffic()) continue;
    const Event event = events_.front();
    std::ranges::pop_heap(events_, Later{});
    events_.pop_back();
    fetch();
    now_ = std::max(now_, event.time);
    if (event.kind == EventKind::meeting_starts) {
      start_traffic(event.which);
    } else if (event.kind == EventKind::meeting_ends) {
      finish(event.which);
    } else if (event.kind == EventKind::lockstep_ends) {
      if (locksteps_[event.which].version != event.version) continue;
      finish_lockstep(event.which);
    } else {
      const OperationId its{event.which, event.operation};
      if (operation(its).kind == OperationKind::compute && !stop_computing(event)) continue;
      end(its);
    }
    begin_ready();
  }
  return std::move(runs_);
}

/// Prefetches the data of the next events while the current one is handled. With thousands of
/// classes each of these reads misses the cache. First come the events at positions 1 and 2 of the
/// heap, one of which is the event after the next; then the data to which the next event refers.
void ReplayLoop::fetch() const {
  for (std::size_t i = 1; i < std::min<std::size_t>(events_.size(), 3); ++i) {
    const Event& event = events_[i];
    if (event.kind == EventKind::lockstep_ends) continue;
    if (event.kind != EventKind::operation_ends) {
      __builtin_prefetch(&meetings_.meetings[event.which]);
      continue;
    }
    const ClassState& state = classes_[event.which];
    __builtin_prefetch(&runs_[event.which][event.operation], 1);
    for (const auto& next : state.order->after_end(event.operation)) {
      __builtin_prefetch(&state.waits[next.operation], 1);
      __builtin_prefetch(&meetings_.of[event.which][next.operation]);
      __builtin_prefetch(&runs_[event.which][next.operation], 1);
    }
  }
  if (events_.empty()) return;
  const Event& event = events_.front();
  if (event.kind == EventKind::lockstep_ends) return;
  if (event.kind != EventKind::operation_ends) {
    __builtin_prefetch(&meetings_.participants[meetings_.meetings[event.which].first]);
    return;
  }
  for (const auto& next : classes_[event.which].order->after_end(event.operation)) {
    const std::uint32_t meeting = meetings_.of[event.which][next.operation];
    if (meeting == kNone) continue;
    __builtin_prefetch(&missing_[meeting], 1);
    __builtin_prefetch(&meetings_.meetings[meeting]);
  }
}

/// Advances the traffic to the next event. Returns whether a collective or message ended before it.
bool ReplayLoop::advance_traffic() {
  if (traffic_.is_idle()) return false;
  const auto ended = traffic_.advance(events_.empty() ? Time::never() : events_.front().time);
  if (ended.empty()) return false;
  now_ = std::max(now_, traffic_.now());
  for (const std::uint32_t meeting : ended) finish(meeting);
  begin_ready();
  return true;
}

/// Begins all operations that are ready.
void ReplayLoop::begin_ready() {
  while (!ready_.empty()) {
    const OperationId its = ready_.back();
    ready_.pop_back();
    begin(its);
  }
}

void ReplayLoop::release(OperationId from, std::span<const ProgramOrder::Next> nexts) {
  ClassState& state = classes_[from.which];
  for (const auto& [next, by_stream] : nexts) {
    if (--state.waits[next] > 0) continue;
    OperationRun& run = runs_[from.which][next];
    run.cause = by_stream ? WaitCause::stream : WaitCause::dependency;
    run.behind = from;
    ready_.push_back({from.which, next});
  }
}

void ReplayLoop::begin(OperationId its) {
  OperationRun& run = run_of(its);
  run.begin = run.start = now_;
  release(its, classes_[its.which].order->after_begin(its.operation));
  const std::uint32_t meeting = meetings_.of[its.which][its.operation];
  if (meeting != collectives::Meetings::kNone) {
    __builtin_prefetch(&meetings_.meetings[meeting]);
    if (--missing_[meeting] == 0) start_meeting(meeting, its);
    return;
  }
  const collectives::Operation& what = operation(its);
  run.alone = what.duration;
  if (what.kind == OperationKind::compute) return start_computing(its, what.duration);
  push({.time = now_ + what.duration,
        .kind = EventKind::operation_ends,
        .which = its.which,
        .operation = its.operation});
}

void ReplayLoop::end(OperationId its) {
  run_of(its).end = now_;
  release(its, classes_[its.which].order->after_end(its.operation));
}

void ReplayLoop::start_meeting(std::uint32_t meeting, OperationId last) {
  const auto who = meetings_.who(meeting);
  const collectives::Operation& what = operation(who.front());
  const float share = what.rate_share;
  const std::uint32_t load = meetings_.meetings[meeting].load;
  const Time alone = what.duration + time_with_share(profiles_[load], share);
  for (const OperationId its : who) {
    OperationRun& run = run_of(its);
    run.start = now_;
    run.alone = alone;
    if (run.begin < now_) {
      run.cause = WaitCause::peer;
      run.behind = last;
    }
    set_share(its.which, operation(its).compute_share, true);
  }
  const bool shares = traffic_.shares_links(load);
  push({.time = now_ + (shares ? what.duration + traffic_.before_start(load, share) : alone),
        .kind = shares ? EventKind::meeting_starts : EventKind::meeting_ends,
        .which = meeting});
}

void ReplayLoop::start_traffic(std::uint32_t meeting) {
  const float share = operation(meetings_.who(meeting).front()).rate_share;
  traffic_.start(meeting, meetings_.meetings[meeting].load, share, now_);
}

void ReplayLoop::finish(std::uint32_t meeting) {
  for (const OperationId its : meetings_.who(meeting))
    set_share(its.which, operation(its).compute_share, false);
  if (const Lockstep* sequence = lockstep_behind(meeting))
    if (starts_in_lockstep(meeting, *sequence)) return;
  for (const OperationId its : meetings_.who(meeting)) end(its);
}

/// The sequence that follows a collective if all its ranks run the same program; nullptr if there
/// is none.
const Lockstep* ReplayLoop::lockstep_behind(std::uint32_t meeting) {
  if (sequences_.empty()) return nullptr;
  const auto who = meetings_.who(meeting);
  const OperationId first = who.front();
  if (operation(first).kind != OperationKind::collective) return nullptr;
  const std::uint32_t program = classes_[first.which].number;
  for (const OperationId its : who)
    if (its.operation != first.operation || classes_[its.which].number != program) return nullptr;
  return sequences_[program].behind(first.operation);
}

/// Starts a sequence if its operations wait only for each other, and its collectives share no links
/// with other traffic. Returns false if it cannot be simulated as one event.
bool ReplayLoop::starts_in_lockstep(std::uint32_t meeting, const Lockstep& sequence) {
  const auto who = meetings_.who(meeting);
  for (const OperationId its : who) {
    const ClassState& state = classes_[its.which];
    if (!state.shares.empty() || state.lockstep != kNone) return false;
    for (std::uint32_t i = 0; i < sequence.count(); ++i)
      if (state.waits[sequence.first + i] != sequence.waits[i]) return false;
  }
  const OperationId first = who.front();
  const auto& own = meetings_.of[first.which];
  for (std::uint32_t i = sequence.first; i <= sequence.last; ++i)
    if (own[i] != kNone && traffic_.shares_links(meetings_.meetings[own[i]].load)) return false;
  if (free_locksteps_.empty()) {
    free_locksteps_.push_back(static_cast<std::uint32_t>(locksteps_.size()));
    locksteps_.emplace_back();
  }
  const std::uint32_t number = free_locksteps_.back();
  LockstepRun& run = locksteps_[number];
  const ClassState& state = classes_[first.which];
  const auto duration = [&](std::uint32_t i) {
    const collectives::Operation& what = state.program->operations[i];
    if (own[i] == kNone) return what.duration;
    const IsolatedTime& profile = profiles_[meetings_.meetings[own[i]].load];
    return what.duration + time_with_share(profile, what.rate_share);
  };
  if (!sequences_[state.number].run(first.operation, sequence, duration, run.times)) return false;
  free_locksteps_.pop_back();
  run.sequence = &sequence;
  run.meeting = meeting;
  run.version = ++versions_;
  run.begin = now_;
  for (const OperationId its : who) {
    classes_[its.which].lockstep = number;
    run_of(its).end = now_;
    for (const auto& next : classes_[its.which].order->after_end(its.operation))
      if (!sequence.has(next.operation)) release(its, {&next, 1});
  }
  push({.time = now_ + run.times.back().end,
        .kind = EventKind::lockstep_ends,
        .which = number,
        .version = run.version});
  return true;
}

/// Records the times of an operation of a sequence.
void ReplayLoop::record_times(OperationId its, const LockstepRun& lockstep) {
  const LockstepTime& time = lockstep.times[its.operation - lockstep.sequence->first];
  OperationRun& run = run_of(its);
  run.begin = run.start = lockstep.begin + time.begin;
  run.end = lockstep.begin + time.end;
  run.alone = time.end - time.begin;
  run.cause = time.by_stream ? WaitCause::stream : WaitCause::dependency;
  run.behind = {its.which, time.behind};
}

void ReplayLoop::finish_lockstep(std::uint32_t number) {
  const LockstepRun& lockstep = locksteps_[number];
  const Lockstep& sequence = *lockstep.sequence;
  free_locksteps_.push_back(number);
  for (const OperationId front : meetings_.who(lockstep.meeting)) {
    ClassState& state = classes_[front.which];
    state.lockstep = kNone;
    for (OperationId its{front.which, sequence.first}; its.operation <= sequence.last;
         ++its.operation) {
      record_times(its, lockstep);
      for (const auto& next : state.order->after_end(its.operation))
        if (!sequence.has(next.operation)) release(its, {&next, 1});
    }
  }
}

/// Continues an interrupted sequence operation by operation.
void ReplayLoop::interrupt_lockstep(std::uint32_t number) {
  LockstepRun& lockstep = locksteps_[number];
  const Lockstep& sequence = *lockstep.sequence;
  lockstep.version = ++versions_;  // invalidates the event of its end
  free_locksteps_.push_back(number);
  for (const OperationId front : meetings_.who(lockstep.meeting)) {
    const std::uint32_t which = front.which;
    ClassState& state = classes_[which];
    state.lockstep = kNone;
    // The successors of ended operations no longer wait for them.
    const auto ended = [&](std::uint32_t operation) {
      for (const auto& next : state.order->after_end(operation)) {
        if (sequence.has(next.operation))
          --state.waits[next.operation];
        else if (operation != front.operation)
          release({which, operation}, {&next, 1});
      }
    };
    ended(front.operation);
    for (std::uint32_t i = sequence.first; i <= sequence.last; ++i) {
      const OperationId its{which, i};
      const LockstepTime& time = lockstep.times[i - sequence.first];
      if (state.waits[i] > 0) continue;
      record_times(its, lockstep);
      if (lockstep.begin + time.end < now_) {
        ended(i);
        continue;
      }
      OperationRun& run = run_of(its);
      const Time end = run.end;
      run.end = Time::never();
      const std::uint32_t meeting = meetings_.of[which][i];
      if (meeting == kNone) {
        start_computing(its, end - now_);
      } else if (missing_[meeting] > 0) {
        missing_[meeting] = 0;
        push({.time = end, .kind = EventKind::meeting_ends, .which = meeting});
      }
    }
  }
}

void ReplayLoop::start_computing(OperationId its, Time duration) {
  Computation& computation = classes_[its.which].computing.emplace_back(
      Computation{.operation = its.operation,
                  .left = static_cast<double>(duration.picoseconds()),
                  .since = now_});
  schedule_end(its.which, computation);
}

void ReplayLoop::schedule_end(std::uint32_t which, Computation& its) {
  its.version = ++versions_;
  const double left = std::max(0.0, its.left / classes_[which].speed);
  push({.time = now_ + Time::picoseconds(std::llround(left)),
        .kind = EventKind::operation_ends,
        .which = which,
        .operation = its.operation,
        .version = its.version});
}

/// Whether the event is the end of a computation. False if the computation's speed has changed
/// since the event was scheduled.
bool ReplayLoop::stop_computing(const Event& event) {
  auto& computing = classes_[event.which].computing;
  const auto its = std::ranges::find(computing, event.version, &Computation::version);
  if (its == computing.end()) return false;
  computing.erase(its);
  return true;
}

void ReplayLoop::set_share(std::uint32_t which, float share, bool added) {
  if (share <= 0 || !slows_computation_) return;
  ClassState& state = classes_[which];
  if (state.lockstep != kNone) interrupt_lockstep(state.lockstep);
  if (added)
    state.shares.push_back(share);
  else
    state.shares.erase(std::ranges::find(state.shares, share));
  const double speed =
      state.shares.empty() ? 1.0 : 1.0 - static_cast<double>(std::ranges::max(state.shares));
  if (speed == state.speed) return;
  for (Computation& its : state.computing) {
    its.left -= static_cast<double>((now_ - its.since).picoseconds()) * state.speed;
    its.since = now_;
  }
  state.speed = speed;
  for (Computation& its : state.computing) schedule_end(which, its);
}

}  // namespace railyard::sim
