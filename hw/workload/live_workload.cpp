#include "hw/workload/live_workload.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <string>

namespace railyard::hw {

using collectives::OperationId;
using collectives::OperationRun;
using collectives::ProgramOrder;
using collectives::WaitCause;

namespace {

/// The times of an operation, as sent between processes of one architecture.
struct PackedRun {
  std::int64_t begin = 0, start = 0, end = 0;
  std::uint32_t behind = OperationId::kNone;
  WaitCause cause = WaitCause::none;
};

PackedRun packed(const OperationRun& run) {
  return {.begin = run.begin.picoseconds(),
          .start = run.start.picoseconds(),
          .end = run.end.picoseconds(),
          .behind = run.behind.operation,
          .cause = run.cause};
}

OperationRun unpacked(const PackedRun& run, std::uint32_t rank) {
  OperationRun its{.begin = Time::picoseconds(run.begin),
                   .start = Time::picoseconds(run.start),
                   .end = Time::picoseconds(run.end),
                   .alone = Time::picoseconds(run.end - run.start),
                   .cause = run.cause};
  if (run.behind != OperationId::kNone) its.behind = {rank, run.behind};
  return its;
}

/// Makes times relative to the begin of the first rank.
void shift_to_first(collectives::WorkloadRun& run) {
  Time first = Time::never();
  for (const auto& ranks : run.classes)
    for (const OperationRun& its : ranks.operations) first = std::min(first, its.begin);
  for (auto& ranks : run.classes) {
    for (OperationRun& its : ranks.operations) {
      for (Time* time : {&its.begin, &its.start, &its.end}) *time -= first;
      ranks.end = std::max(ranks.end, its.end);
    }
    run.total = std::max(run.total, ranks.end);
  }
}

}  // namespace

LiveWorkload::LiveWorkload(const LiveLoads& loads, LiveBackend& backend, std::uint64_t seed)
    : loads_(loads),
      backend_(backend),
      world_(backend.world()),
      meetings_(backend.meetings(loads, seed)) {
  const collectives::Workload& workload = loads.workload();
  assert(workload.ranks() == backend.ranks());
  for (const collectives::Program& program : workload.programs()) orders_.emplace_back(program);
  state_of_.assign(workload.ranks(), 0);
  for (std::uint32_t rank = 0; rank < workload.ranks(); ++rank) {
    if (backend.process_of(rank) != world_.process()) continue;
    state_of_[rank] = static_cast<std::uint32_t>(states_.size());
    const std::uint32_t program = workload.roles()[workload.role_of(rank)].program;
    states_.push_back(
        {.rank = rank, .order = &orders_[program], .waits = {}, .runs = {}, .last = {}, .end = {}});
  }
}

LiveWorkload::~LiveWorkload() = default;

std::vector<Span> LiveWorkload::run(int times) {
  const Time begin = world_.now();
  for (int i = 0; i < times; ++i) run_once();
  std::vector<Span> spans;
  for (const RankState& its : states_)
    spans.push_back({.rank = its.rank, .begin = begin, .end = its.end});
  return spans;
}

void LiveWorkload::run_once() {
  meetings_->start(checks_);
  const Time begin = world_.now();
  left_ = 0;
  for (RankState& its : states_) {
    its.waits = its.order->waits;
    its.end = begin;
    its.runs.assign(its.waits.size(), {});
    left_ += its.waits.size();
    for (std::uint32_t i = 0; i < its.waits.size(); ++i) {
      its.runs[i].begin = begin;  // until something holds it back
      if (its.waits[i] == 0) ready_.push_back({its.rank, i});
    }
  }
  begin_waiting();
  while (left_ > 0) {
    const Time due = busy_.empty() ? Time::never() : busy_.top().due;
    if (due <= world_.now()) {
      const OperationId its = busy_.top().operation;
      busy_.pop();
      end(its, due);
    } else {
      for (const LiveEnd& ended : meetings_->wait(due)) {
        run_of(ended.operation).start = ended.start;
        end(ended.operation, ended.end);
      }
    }
    begin_waiting();
  }
  if (checks_) return;
  for (RankState& its : states_) its.last.swap(its.runs);
}

void LiveWorkload::begin_waiting() {
  while (!ready_.empty()) {
    const OperationId its = ready_.back();
    ready_.pop_back();
    begin(its);
  }
}

/// Begins an operation at OperationRun::begin, the time at which its last dependency ended.
void LiveWorkload::begin(OperationId its) {
  OperationRun& run = run_of(its);
  run.start = run.begin;
  release(its, state(its).order->after_begin(its.operation), run.begin);
  const std::uint32_t meeting = loads_.meetings().of[its.which][its.operation];
  if (meeting != collectives::Meetings::kNone) return meetings_->arrive(meeting, its);
  const auto& program = loads_.workload().program_of(its.which);
  const Time duration = program.operations[its.operation].duration;
  if (duration <= Time()) return end(its, run.begin);
  busy_.push({.due = run.begin + duration, .sequence = sequence_++, .operation = its});
}

void LiveWorkload::end(OperationId its, Time at) {
  RankState& rank = state(its);
  rank.runs[its.operation].end = at;
  rank.end = std::max(rank.end, at);
  --left_;
  release(its, rank.order->after_end(its.operation), at);
}

void LiveWorkload::release(OperationId from, std::span<const ProgramOrder::Next> nexts, Time at) {
  RankState& rank = state(from);
  for (const auto& [next, by_stream] : nexts) {
    OperationRun& run = rank.runs[next];
    if (run.cause == WaitCause::none || at >= run.begin) {
      run.begin = std::max(run.begin, at);
      run.cause = by_stream ? WaitCause::stream : WaitCause::dependency;
      run.behind = from;
    }
    if (--rank.waits[next] == 0) ready_.push_back({from.which, next});
  }
}

std::optional<collectives::WorkloadRun> LiveWorkload::last_run() {
  std::string mine;
  for (const RankState& its : states_)
    for (const OperationRun& run : its.last) {
      std::array<char, sizeof(PackedRun)> bytes{};
      const PackedRun times = packed(run);
      std::memcpy(bytes.data(), &times, sizeof times);
      mine.append(bytes.data(), bytes.size());
    }
  const std::vector<std::string> all = backend_.world().gather(mine);
  if (world_.process() != 0) return std::nullopt;
  const collectives::Workload& workload = loads_.workload();
  collectives::WorkloadRun run;
  std::vector<std::size_t> at(all.size(), 0);
  for (std::uint32_t rank = 0; rank < workload.ranks(); ++rank) {
    const std::uint32_t process = backend_.process_of(rank);
    auto& its = run.classes.emplace_back();
    its.role = workload.role_of(rank);
    its.ranks = {rank};
    for (std::size_t i = 0; i < workload.program_of(rank).operations.size(); ++i) {
      PackedRun times;
      std::memcpy(&times, all[process].data() + at[process], sizeof times);
      at[process] += sizeof times;
      its.operations.push_back(unpacked(times, rank));
    }
  }
  shift_to_first(run);
  return run;
}

}  // namespace railyard::hw
