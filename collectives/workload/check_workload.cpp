#include "collectives/workload/check_workload.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "collectives/workload/meetings.hpp"

namespace railyard::collectives {
namespace {

/// Runs a workload without times until no operation can begin.
class UntimedRun {
 public:
  UntimedRun(const Workload& workload, const RankClasses& classes, const Meetings& meetings)
      : w_(workload), classes_(classes), meetings_(meetings) {
    for (const Program& program : w_.programs()) orders_.emplace_back(program);
    for (const auto& ranks : classes.ranks) {
      const ProgramOrder& order = order_of(ranks.front());
      waits_.push_back(order.waits);
      ended_.emplace_back(order.waits.size(), false);
    }
    for (const Meeting& meeting : meetings.meetings) missing_.push_back(meeting.count);
  }

  void run() {
    for (std::uint32_t c = 0; c < waits_.size(); ++c) {
      const ProgramOrder& order = order_of(classes_.ranks[c].front());
      for (std::uint32_t i = 0; i < order.waits.size(); ++i)
        if (order.waits[i] == 0) begun_.push_back({c, i});
    }
    while (!begun_.empty()) {
      const OperationId its = begun_.back();
      begun_.pop_back();
      begin(its);
    }
  }

  /// A description of circular dependencies; "" if all operations have ended.
  [[nodiscard]] std::string circle() const {
    for (std::uint32_t c = 0; c < ended_.size(); ++c)
      for (std::uint32_t i = 0; i < ended_[c].size(); ++i)
        if (!ended_[c][i]) return circle_from({c, i});
    return "";
  }

 private:
  [[nodiscard]] const ProgramOrder& order_of(std::uint32_t rank) const {
    return orders_[w_.roles()[w_.role_of(rank)].program];
  }
  [[nodiscard]] const ProgramOrder& order(OperationId its) const {
    return order_of(classes_.ranks[its.which].front());
  }

  void release(OperationId its, std::span<const ProgramOrder::Next> nexts) {
    for (const auto& [next, by_stream] : nexts)
      if (--waits_[its.which][next] == 0) begun_.push_back({its.which, next});
  }

  void begin(OperationId its) {
    release(its, order(its).after_begin(its.operation));
    const std::uint32_t meeting = meetings_.of[its.which][its.operation];
    if (meeting == Meetings::kNone) return end(its);
    if (--missing_[meeting] > 0) return;
    for (const OperationId other : meetings_.who(meeting)) end(other);
  }

  void end(OperationId its) {
    ended_[its.which][its.operation] = true;
    release(its, order(its).after_end(its.operation));
  }

  /// An unfinished operation that `its` waits for; `its` itself if there is none.
  [[nodiscard]] OperationId waits_for(OperationId its) const {
    if (waits_[its.which][its.operation] == 0) {
      for (const OperationId other : meetings_.who(meetings_.of[its.which][its.operation]))
        if (waits_[other.which][other.operation] > 0) return other;
      return its;
    }
    const Program& program = w_.program_of(classes_.ranks[its.which].front());
    const std::uint16_t stream = program.operations[its.operation].stream;
    for (std::uint32_t i = its.operation; i-- > 0 && stream != Operation::kUnordered;)
      if (program.operations[i].stream == stream) {
        if (!ended_[its.which][i]) return {its.which, i};
        break;
      }
    for (const Dependency& other : program.dependencies(its.operation))
      if (!ended_[its.which][other.operation]) return {its.which, other.operation};
    return its;
  }

  [[nodiscard]] std::string circle_from(OperationId its) const {
    std::vector<OperationId> chain;
    while (std::find(chain.begin(), chain.end(), its) == chain.end()) {
      chain.push_back(its);
      its = waits_for(its);
    }
    chain.erase(chain.begin(), std::find(chain.begin(), chain.end(), its));
    std::string text;
    for (const OperationId one : chain)
      text += fmt::format("{} waits for ",
                          w_.describe(classes_.ranks[one.which].front(), one.operation));
    return text + w_.describe(classes_.ranks[its.which].front(), its.operation);
  }

  const Workload& w_;
  const RankClasses& classes_;
  const Meetings& meetings_;
  std::vector<ProgramOrder> orders_;
  std::vector<std::vector<std::uint32_t>> waits_;
  std::vector<std::vector<bool>> ended_;
  std::vector<std::uint32_t> missing_;
  std::vector<OperationId> begun_;
};

}  // namespace

std::vector<Diagnostic> check_workload(const Workload& workload) {
  const Communications communications(workload);
  const RankClasses classes = rank_classes(communications, nullptr, false);
  std::vector<Diagnostic> problems;
  const Meetings meetings = meetings_of(communications, classes, problems);
  if (!problems.empty()) return problems;
  UntimedRun run(workload, classes, meetings);
  run.run();
  if (std::string circle = run.circle(); !circle.empty())
    problems.push_back({"", "", "deadlock: " + std::move(circle),
                        "ranks must come to the collectives of different groups in one order"});
  return problems;
}

}  // namespace railyard::collectives
