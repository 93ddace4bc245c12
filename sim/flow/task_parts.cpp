#include "sim/flow/task_parts.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "core/diagnostic.hpp"
#include "core/disjoint_sets.hpp"
#include "core/parallel.hpp"
#include "sim/link_capacity.hpp"

namespace railyard::sim {
namespace {

using collectives::Task;
using core::DisjointSets;

/// Joins tasks that cross a common link. Each link remembers the last task that crossed it. Which
/// task this is depends on the timing of threads, but the final sets do not.
class TaskJoiner {
 public:
  TaskJoiner(std::size_t tasks, std::size_t links) : tasks_(tasks), sets_(tasks), owner_(links) {
    for (auto& owner : owner_) owner.store(kNobody, std::memory_order_relaxed);
  }

  /// A thread's own copy of the sets, with which it skips joins that it has already made.
  [[nodiscard]] DisjointSets view() const { return DisjointSets(tasks_); }
  void cross(LinkId link, std::uint32_t task, DisjointSets& view) {
    auto& owner = owner_[link.index()];
    if (owner.load(std::memory_order_relaxed) == task) return;
    const std::uint32_t before = owner.exchange(task, std::memory_order_relaxed);
    if (before == kNobody || !view.join(before, task)) return;
    const std::lock_guard lock(mutex_);
    sets_.join(before, task);
    if (sets_.count() == 1) is_one_.store(true, std::memory_order_relaxed);
  }
  [[nodiscard]] bool is_one() const { return is_one_.load(std::memory_order_relaxed); }

  [[nodiscard]] TaskParts parts() {
    TaskParts result{.parts = {}, .number_of = std::vector<std::uint32_t>(owner_.size(), 0)};
    std::vector<std::uint32_t> part_of(tasks_, 0);  // index of the part, by representative
                                                    // (the first member of a set)
    for (std::uint32_t task = 0; task < tasks_; ++task) {
      const std::uint32_t leader = sets_.find(task);
      if (leader == task) {
        part_of[task] = static_cast<std::uint32_t>(result.parts.size());
        result.parts.emplace_back();
      }
      result.parts[part_of[leader]].tasks.push_back(task);
    }
    for (std::size_t i = 0; i < owner_.size(); ++i) {
      const std::uint32_t owner = owner_[i].load(std::memory_order_relaxed);
      if (owner == kNobody) continue;
      auto& links = result.parts[part_of[sets_.find(owner)]].links;
      result.number_of[i] = static_cast<std::uint32_t>(links.size());
      links.emplace_back(i);
    }
    return result;
  }

 private:
  static constexpr std::uint32_t kNobody = ~std::uint32_t{0};
  std::size_t tasks_;
  DisjointSets sets_;
  std::vector<std::atomic<std::uint32_t>> owner_;  ///< by link: a task that crosses it
  std::mutex mutex_;
  std::atomic<bool> is_one_{false};
};

/// Visits the links that the connections of a task cross under the current faults of the routes.
/// Transfers of later iterations use the connections of the first
/// (collectives/algorithms/pattern.hpp).
void cross_all(const Task& task, std::uint32_t number, TransferRoutes& routes, TaskJoiner& joining,
               DisjointSets& view) {
  std::vector<topology::Hop> hops;
  const auto& schedule = *task.schedule;
  for (std::size_t c = 0; c < schedule.channels().size() && !joining.is_one(); ++c) {
    for (const auto& loop : schedule.channels()[c].loops) {
      for (const auto& step : loop.steps) {
        for (std::uint64_t i = 0; i < step.size(); ++i) {
          hops.clear();
          routes.append(schedule, step.at(i, 0), connection_label(number, c), hops);
          for (const topology::Hop& hop : hops) joining.cross(hop.link, number, view);
        }
      }
    }
  }
}

}  // namespace

std::optional<TaskParts> independent_parts(std::span<const Task> tasks, const FlowOptions& options,
                                           std::size_t links, FlowWorkspaces& workspaces,
                                           int threads) {
  const std::vector<topology::TimedFault> later = later_faults(options);
  if (tasks.size() < 2 || options.timeline || later.size() > FlowWorkspace::kMostFaults) return {};
  if (!workspaces.of(0).routes.is_stateless()) return {};
  TaskJoiner joining(tasks.size(), links);
  std::vector<std::optional<DisjointSets>> views(static_cast<std::size_t>(threads));
  try {
    core::parallel_for(tasks.size(), threads, [&](std::size_t task, std::size_t worker) {
      auto& view = views[worker];
      if (!view) view = joining.view();
      TransferRoutes& routes = workspaces.of(worker).routes;
      const auto number = static_cast<std::uint32_t>(task);
      cross_all(tasks[task], number, routes, joining, *view);
      for (const auto& fault : later) {
        routes.add_faults(fault.faults);
        cross_all(tasks[task], number, routes, joining, *view);
      }
      routes.forget_faults();
    });
    // A connection has no path. The run itself reports this, if it needs the connection.
  } catch (const InputError&) {
    for (std::size_t worker = 0; worker < views.size(); ++worker) workspaces.discard(worker);
    return {};
  }
  if (joining.is_one()) return {};
  return joining.parts();
}

}  // namespace railyard::sim
