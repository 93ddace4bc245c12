#include "placement/simulate/whole_step_timeline.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>

#include "placement/simulate/stage_program.hpp"
#include "placement/simulate/step_workload.hpp"

namespace railyard::placement {
namespace {

using collectives::Operation;
using collectives::OperationKind;
using collectives::OperationRun;
using collectives::RankClassRun;
using collectives::Workload;

/// Collectives of a pass, in the order of the timeline.
constexpr std::array<std::pair<GroupRole, const char*>, 3> kOfPasses{
    {{GroupRole::tensor, "tp"}, {GroupRole::context, "cp"}, {GroupRole::expert, "ep"}}};

/// Writes the events of a stage.
class StageEvents {
 public:
  StageEvents(const Workload& workload, const RankClassRun& ranks, int stage, int pipeline,
              std::vector<StepEvent>& events)
      : workload_(workload),
        ranks_(ranks),
        stage_(stage),
        pipeline_(pipeline),
        events_(events),
        roles_(roles_of_families(workload)) {}

  void add() {
    const collectives::Program& program = workload_.program_of(ranks_.ranks.front());
    for (std::size_t i = 0; i < program.operations.size(); ++i)
      add(program.operations[i], ranks_.operations[i]);
    close();
  }

 private:
  void add(const Operation& operation, const OperationRun& its) {
    const std::string& name = workload_.names()[operation.name];
    if (operation.kind == OperationKind::compute) {
      compute(name, its);
    } else if (operation.kind == OperationKind::collective) {
      if (roles_[operation.family]) collective(*roles_[operation.family], operation, its);
    } else if (operation.kind == OperationKind::send) {
      if (const auto work = pass_of_message(name))
        put(sends_forward(operation) ? StepStream::send_next : StepStream::send_back, "send",
            its.start, its.end, &*work);
    } else if (operation.kind == OperationKind::copy) {
      put(StepStream::communication, "offload", its.start, its.end);
    }
  }

  [[nodiscard]] bool sends_forward(const Operation& operation) const {
    return workload_.program_of(ranks_.ranks.front()).streams[operation.stream] == "to next";
  }

  void compute(const std::string& name, const OperationRun& its) {
    const auto work = pass_named(name);
    if (!work) {
      close();
      if (name == kOptimizer) put(StepStream::compute, "optimizer", its.start, its.end);
      return;
    }
    if (!pass_ || name != name_) {
      close();
      pass_ = work;
      name_ = name;
      begin_ = end_ = its.begin;
    }
    end_ = std::max(end_, its.end);
    computing_ += its.end - its.start;
  }

  void collective(GroupRole role, const Operation& operation, const OperationRun& its) {
    if (connects_replicas(role)) {
      const bool tied = role == GroupRole::embedding;
      const bool weights = operation.collective == collectives::Kind::all_gather;
      put(StepStream::replicas,
          tied      ? "tied"
          : weights ? "weights"
                    : "gradients",
          its.start, its.end);
      return;
    }
    if (!pass_) return;
    end_ = std::max(end_, its.end);
    of_pass_[role] += its.end - its.start;
  }

  /// Ends the present pass. Time beyond its computation is divided among its collectives.
  void close() {
    if (!pass_) return;
    Time sum;
    for (const auto& [role, time] : of_pass_) sum += time;
    const Time exposed = std::min(sum, std::max(Time(), end_ - begin_ - computing_));
    Time at = end_ - exposed;
    put(StepStream::compute,
        pass_->kind == 'F'   ? "F"
        : pass_->kind == 'B' ? "B"
                             : "W",
        begin_, at, &*pass_);
    Time before;
    for (const auto& [role, what] : kOfPasses) {
      const auto its = of_pass_.find(role);
      if (its == of_pass_.end() || sum == Time()) continue;
      before += its->second;
      const Time until =
          end_ - exposed + Time::from_seconds(exposed.seconds() * before.seconds() / sum.seconds());
      put(StepStream::communication, what, at, std::min(until, end_), &*pass_);
      at = until;
    }
    pass_.reset();
    of_pass_.clear();
    computing_ = Time();
  }

  void put(StepStream stream, const char* what, Time begin, Time end,
           const PipelineWork* work = nullptr) {
    if (end > begin)
      events_.push_back({stage_, stream, what, work == nullptr ? -1 : work->micro_batch,
                         work == nullptr ? -1 : work->chunk, begin, end, pipeline_});
  }

  const Workload& workload_;
  const RankClassRun& ranks_;
  int stage_, pipeline_;
  std::vector<StepEvent>& events_;
  std::vector<std::optional<GroupRole>> roles_;  ///< by family
  std::optional<PipelineWork> pass_;
  std::string name_;
  Time begin_{}, end_{}, computing_{};
  std::map<GroupRole, Time> of_pass_;
};

}  // namespace

std::vector<StepEvent> whole_step_timeline(const Strategy& strategy, const Workload& workload,
                                           const collectives::WorkloadRun& run) {
  const std::size_t roles = workload.roles().size();
  std::vector<const RankClassRun*> last(roles, nullptr);
  for (const RankClassRun& ranks : run.classes)
    if (last[ranks.role] == nullptr || ranks.end > last[ranks.role]->end) last[ranks.role] = &ranks;
  std::vector<StepEvent> events;
  const auto stages = static_cast<std::size_t>(strategy.pp);
  for (std::size_t r = 0; r < roles; ++r)
    StageEvents(workload, *last[r], static_cast<int>(r % stages),
                roles > stages ? static_cast<int>(r / stages) : -1, events)
        .add();
  std::ranges::stable_sort(events, [](const StepEvent& a, const StepEvent& b) {
    return std::tuple(a.pipeline, a.stage, a.begin) < std::tuple(b.pipeline, b.stage, b.begin);
  });
  return events;
}

}  // namespace railyard::placement
