#include "collectives/formats/traces/goal_workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "collectives/formats/traces/fold_programs.hpp"
#include "collectives/formats/traces/operation_order.hpp"
#include "collectives/formats/traces/traced_ranks.hpp"
#include "collectives/workload/program_builder.hpp"
#include "core/diagnostic.hpp"

namespace railyard::collectives {
namespace {

/// Assigns a send to each receive from any source or with any tag: the first send (by rank, then by
/// line) to this rank whose size, source and tag match, and that no other receive specifies. The
/// pair gets a unique tag.
class WildcardReceives {
 public:
  WildcardReceives(GoalProgram& program, const std::string& file)
      : program_(program), file_(file) {}

  /// The number of such receives.
  std::uint64_t match() {
    collect();
    if (wild_.empty()) return 0;
    for (const auto& [rank, index] : wild_) match(rank, program_.ranks[rank].operations[index]);
    return wild_.size();
  }

 private:
  struct Route {
    std::uint32_t from, to, tag;
    auto operator<=>(const Route&) const = default;
  };
  struct Send {
    std::uint32_t rank, index;
  };

  void collect() {
    std::map<Route, std::uint64_t> named;
    for (std::uint32_t rank = 0; rank < program_.ranks.size(); ++rank) {
      const auto& operations = program_.ranks[rank].operations;
      for (std::uint32_t i = 0; i < operations.size(); ++i) {
        const GoalOperation& operation = operations[i];
        if (operation.type != GoalType::receive) continue;
        if (operation.peer == GoalOperation::kAny || operation.tag == GoalOperation::kAny)
          wild_.emplace_back(rank, i);
        else
          ++named[{operation.peer, rank, operation.tag}];
      }
    }
    if (wild_.empty()) return;
    for (std::uint32_t rank = 0; rank < program_.ranks.size(); ++rank) {
      const auto& operations = program_.ranks[rank].operations;
      for (std::uint32_t i = 0; i < operations.size(); ++i) {
        if (operations[i].type != GoalType::send) continue;
        auto& count = named[{rank, operations[i].peer, operations[i].tag}];
        if (count > 0)
          --count;
        else
          free_[operations[i].peer].push_back({rank, i});
      }
    }
  }

  void match(std::uint32_t rank, GoalOperation& receive) {
    std::vector<Send>& sends = free_[rank];
    const auto fits = [&](const Send& send) {
      const GoalOperation& operation = program_.ranks[send.rank].operations[send.index];
      return operation.amount == receive.amount &&
             (receive.peer == GoalOperation::kAny || receive.peer == send.rank) &&
             (receive.tag == GoalOperation::kAny || receive.tag == operation.tag);
    };
    const auto found = std::find_if(sends.begin(), sends.end(), fits);
    if (found == sends.end())
      throw InputError(file_, fmt::format("line {}", receive.line),
                       fmt::format("no send is left for this receive of {} bytes on rank {}",
                                   receive.amount, rank));
    receive.peer = found->rank;
    receive.tag = program_.ranks[found->rank].operations[found->index].tag = next_tag_++;
    sends.erase(found);
  }

  GoalProgram& program_;
  const std::string& file_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> wild_;  ///< rank, index
  std::map<std::uint32_t, std::vector<Send>> free_;
  std::uint32_t next_tag_ = 0xc0000000;  ///< above what tools write
};

Operation operation_of(const GoalOperation& goal, ProgramBuilder& builder, std::uint32_t world) {
  if (goal.type == GoalType::compute) {
    return {.kind = OperationKind::compute,
            .stream = builder.stream(fmt::format("cpu {}", goal.cpu)),
            .duration = Time::nanoseconds(static_cast<std::int64_t>(goal.amount))};
  }
  return {.kind = goal.type == GoalType::send ? OperationKind::send : OperationKind::receive,
          .stream = Operation::kUnordered,
          .family = world,
          .peer = static_cast<std::int32_t>(goal.peer),
          .tag = goal.tag,
          .bytes = Bytes(static_cast<std::int64_t>(goal.amount))};
}

Program program_of(const GoalRank& rank, std::size_t number, NameTable& names, std::uint32_t world,
                   const std::string& file) {
  const auto count = static_cast<std::uint32_t>(rank.operations.size());
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  edges.reserve(rank.dependencies.size());
  for (const GoalDependency& edge : rank.dependencies) edges.emplace_back(edge.earlier, edge.later);
  std::vector<std::uint32_t> circle;
  const auto order = issue_order(count, edges, circle);
  if (!order)
    throw InputError(
        file, fmt::format("line {}", rank.operations[circle.front()].line),
        fmt::format("{} operations of rank {} wait for each other", circle.size(), number));

  std::vector<std::uint32_t> place(count);
  for (std::uint32_t i = 0; i < count; ++i) place[(*order)[i]] = i;
  std::vector<std::vector<Dependency>> after(count);
  for (const GoalDependency& edge : rank.dependencies)
    after[edge.later].push_back(
        {.operation = place[edge.earlier],
         .on_begin = edge.after_start || rank.operations[edge.earlier].type == GoalType::send});
  ProgramBuilder builder(names);
  for (const std::uint32_t i : *order) {
    static constexpr std::string_view kNames[] = {"send", "recv", "calc"};
    const GoalOperation& operation = rank.operations[i];
    builder.add(kNames[static_cast<std::size_t>(operation.type)],
                operation_of(operation, builder, world), std::span<const Dependency>(after[i]));
  }
  return builder.take();
}

}  // namespace

ImportedWorkload workload_of_goal(GoalProgram program, const std::string& file) {
  std::vector<std::string> notes;
  if (const std::uint64_t count = WildcardReceives(program, file).match(); count > 0)
    notes.push_back(fmt::format(
        "{} receives from any source or with any tag got the first send of their size", count));
  const auto count = static_cast<std::uint32_t>(program.ranks.size());
  std::vector<std::uint32_t> all(count);
  for (std::uint32_t i = 0; i < count; ++i) all[i] = i;
  const TracedRanks ranks(all, count);
  FamilyTable families(ranks);
  const std::uint32_t world = families.world_family();
  NameTable names;
  Workload::Parts parts{
      .ranks = count, .names = {}, .families = {}, .programs = {}, .roles = ranks.roles()};
  for (std::uint32_t rank = 0; rank < count; ++rank) {
    for (const GoalOperation& operation : program.ranks[rank].operations) {
      if (operation.type != GoalType::compute && operation.peer == rank)
        throw InputError(file, fmt::format("line {}", operation.line),
                         fmt::format("rank {} sends to itself", rank));
    }
    parts.programs.push_back(program_of(program.ranks[rank], rank, names, world, file));
    program.ranks[rank] = {};
  }
  parts.names = names.names();
  parts.families = families.take();
  fold_programs(parts);
  return {.workload = Workload(std::move(parts)),
          .format = "goal",
          .notes = std::move(notes),
          .recorded = std::nullopt};
}

}  // namespace railyard::collectives
