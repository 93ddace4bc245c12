#include "collectives/formats/traces/goal_export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "collectives/formats/goal_text.hpp"
#include "collectives/workload/check_workload.hpp"
#include "collectives/workload/meetings.hpp"
#include "collectives/workload/rank_classes.hpp"
#include "core/diagnostic.hpp"

namespace railyard::collectives {
namespace {

constexpr std::uint64_t kMostOperations = 20'000'000;

/// Labels of an operation: the first one, which waits for the dependencies, and the last one, which
/// ends the operation.
struct Span {
  std::uint32_t begin = 0, end = 0;
};

class WorkloadText {
 public:
  WorkloadText(const Communications& communications,
               std::span<const std::unique_ptr<const Schedule>> schedules)
      : c_(communications),
        workload_(c_.workload()),
        schedules_(schedules),
        reducers_(numbered_reducers()),
        text_(workload_.ranks() + reducers_.size()) {}

  std::string write() {
    std::vector<Diagnostic> problems = check_workload(workload_);
    if (!problems.empty()) throw InputError(std::move(problems));
    const Meetings meetings = meetings_of(c_, rank_classes(c_, nullptr, true), problems);
    spans_.resize(workload_.ranks());
    for (std::uint32_t rank = 0; rank < workload_.ranks(); ++rank) {
      const auto& operations = workload_.program_of(rank).operations;
      spans_[rank].resize(operations.size());
      for (std::uint32_t i = 0; i < operations.size(); ++i)
        if (!is_communication(operations[i].kind)) add_busy(rank, i, operations[i]);
    }
    for (std::uint32_t meeting = 0; meeting < meetings.meetings.size(); ++meeting)
      add_meeting(meetings, meeting);
    for (std::uint32_t rank = 0; rank < workload_.ranks(); ++rank) add_order(rank);
    return text_.text();
  }

 private:
  /// Reducing switches, numbered after the ranks.
  std::map<DeviceId, std::uint32_t> numbered_reducers() {
    std::map<DeviceId, std::uint32_t> numbers;
    std::uint32_t next = workload_.ranks();
    for (const auto& schedule : schedules_)
      if (schedule != nullptr)
        for (const DeviceId device : schedule->reducers())
          if (numbers.try_emplace(device, next).second) ++next;
    return numbers;
  }

  static std::size_t cpu_of(const Operation& operation) {
    return operation.stream == Operation::kUnordered ? 0 : operation.stream;
  }
  [[nodiscard]] const Operation& operation(OperationId its) const {
    return workload_.program_of(its.which).operations[its.operation];
  }
  Span& span(OperationId its) { return spans_[its.which][its.operation]; }

  void add_busy(std::uint32_t rank, std::uint32_t index, const Operation& operation) {
    const std::uint32_t label = text_.calc(rank, operation.duration, cpu_of(operation));
    spans_[rank][index] = {.begin = label, .end = label};
  }

  void add_meeting(const Meetings& meetings, std::uint32_t meeting) {
    const auto who = meetings.who(meeting);
    const std::uint32_t load = meetings.meetings[meeting].load;
    if (c_.transports()[c_.loads()[load].transport].is_message()) return add_message(who);
    const std::span<const std::uint32_t> members = c_.ranks(c_.loads()[load]);
    std::vector<std::uint32_t> ranks(members.begin(), members.end());
    std::vector<OperationId> of(ranks.size());
    for (const OperationId its : who)
      of[static_cast<std::size_t>(std::ranges::find(ranks, its.which) - ranks.begin())] = its;
    std::vector<std::uint32_t> begins;
    for (const OperationId its : of)
      begins.push_back(span(its).begin =
                           text_.calc(its.which, operation(its).duration, cpu_of(operation(its))));
    std::vector<GoalText::Labels> ends(ranks.size());
    if (const Schedule* schedule = schedules_[load].get()) {
      for (const DeviceId device : schedule->reducers()) {
        ranks.push_back(reducers_.at(device));
        begins.push_back(text_.calc(ranks.back(), Time(), 0));
      }
      ends.resize(ranks.size());
      text_.add_schedule(*schedule, ranks, begins, ends);
    } else {
      add_barrier(ranks, begins, ends);
    }
    for (std::size_t i = 0; i < of.size(); ++i) {
      ends[i].push_back(begins[i]);
      span(of[i]).end = text_.calc(of[i].which, Time(), cpu_of(operation(of[i])), ends[i]);
    }
  }

  void add_barrier(std::span<const std::uint32_t> ranks, std::span<const std::uint32_t> begins,
                   std::span<GoalText::Labels> ends) {
    GoalText::Labels here{begins[0]};
    for (std::size_t i = 1; i < ranks.size(); ++i)
      here.push_back(
          text_.message(ranks[i], ranks[0], Bytes(1), 0, {begins[i]}, {begins[0]}).receive);
    for (std::size_t i = 1; i < ranks.size(); ++i) {
      const auto both = text_.message(ranks[0], ranks[i], Bytes(1), 0, here, {begins[i]});
      ends[0].push_back(both.send);
      ends[i].push_back(both.receive);
    }
  }

  void add_message(std::span<const OperationId> who) {
    const bool first_sends = operation(who[0]).kind == OperationKind::send;
    const OperationId from = who[first_sends ? 0 : 1], to = who[first_sends ? 1 : 0];
    const Bytes bytes = std::max(Bytes(1), operation(from).bytes);
    const auto [send, receive] =
        text_.message(from.which, to.which, bytes, cpu_of(operation(from)));
    span(from) = {.begin = send, .end = send};
    span(to) = {.begin = receive, .end = receive};
  }

  /// Streams, and dependencies.
  void add_order(std::uint32_t rank) {
    const Program& program = workload_.program_of(rank);
    const std::vector<Span>& spans = spans_[rank];
    std::vector<std::uint32_t> last(program.streams.size(), kNone);
    for (std::uint32_t i = 0; i < spans.size(); ++i) {
      const Operation& its = program.operations[i];
      if (its.stream != Operation::kUnordered) {
        const std::uint32_t before = std::exchange(last[its.stream], i);
        if (before != kNone) text_.require(rank, spans[i].begin, spans[before].end, false);
      }
      for (const Dependency& other : program.dependencies(i))
        text_.require(rank, spans[i].begin,
                      other.on_begin ? spans[other.operation].begin : spans[other.operation].end,
                      other.on_begin);
    }
  }

  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  const Communications& c_;
  const Workload& workload_;
  std::span<const std::unique_ptr<const Schedule>> schedules_;
  std::map<DeviceId, std::uint32_t> reducers_;
  GoalText text_;
  std::vector<std::vector<Span>> spans_;  ///< by rank and operation
};

}  // namespace

std::string goal_of_workload(const Communications& communications,
                             std::span<const std::unique_ptr<const Schedule>> schedules) {
  const std::uint64_t operations = communications.workload().operation_count();
  if (operations > kMostOperations)
    throw InputError("", "",
                     fmt::format("the workload has {} operations on all ranks; GOAL is written of "
                                 "at most {}",
                                 operations, kMostOperations));
  return WorkloadText(communications, schedules).write();
}

}  // namespace railyard::collectives
