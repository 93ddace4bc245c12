#include "placement/simulate/step_by_passes.hpp"

#include <algorithm>
#include <memory>
#include <set>

#include "placement/strategy/strategy_groups.hpp"

namespace railyard::placement {

class StepByPasses::State {
 public:
  State(const CostContext& context, const Engine& engine)
      : c_(context), runs_(std::make_shared<GroupRuns>(engine)) {}

  SimulatedStep run(const Strategy& s, const Mapping& mapping, std::span<const int> wanted) {
    const std::vector<bool> used = used_kinds(s);
    const std::vector<GroupShapes> shapes = type_shapes(c_, s);
    std::vector<std::unique_ptr<ExecutedCollectives>> alone(used.size());
    std::vector<std::unique_ptr<ContendedCollectives>> contended(used.size());
    const auto all = [&](const auto& models) {
      CostContext context(c_.job, c_.order);
      for (std::size_t t = 0; t < used.size(); ++t) {
        const TypeContext& type = c_.types[t];
        const CommunicationModel* const model = models[t].get();
        context.types.push_back({.job = type.job,
                                 .gpu = type.gpu,
                                 .communication = model != nullptr ? *model : type.communication,
                                 .gpus_per_node = type.gpus_per_node,
                                 .order = type.order,
                                 .kind = type.kind});
      }
      return context;
    };
    const std::vector<int> kinds = kinds_of_ranks(s);
    const bool differ = std::ranges::any_of(kinds, [&](int kind) { return kind != kinds.front(); });
    for (std::size_t t = 0; t < used.size(); ++t) {
      if (!used[t]) continue;
      ExecutedCollectives::Counts counts;
      if (differ) {
        std::set<Rank> own;
        for (std::size_t r = 0; r < kinds.size(); ++r)
          if (kinds[r] == kind(t)) own.insert(mapping.gpus[r]);
        counts = [own = std::move(own)](Rank gpu) { return own.contains(gpu); };
      }
      alone[t] = std::make_unique<ExecutedCollectives>(runs_, c_.types[t].communication, s, mapping,
                                                       counts);
    }
    const CostContext uncontended = all(alone);
    const std::vector<Time> passes = slowest_passes(uncontended, s);
    SimulatedStep step;
    for (std::size_t t = 0; t < used.size(); ++t) {
      if (!used[t]) continue;
      contended[t] = std::make_unique<ContendedCollectives>(
          *alone[t], uncontended.types[t], s, shapes[t],
          MeetingPasses{most_micro_batches(s, t), passes[t]});
      for (const Slowdown& slow : contended[t]->slowdowns()) add(slow, step.slowdowns);
    }
    const CostContext context = all(contended);
    const TypeBlocks parts = type_blocks(context, s);
    step.cost = run_step_cost(context, s, parts.shapes, parts.blocks);
    for (const int most : wanted)
      step.runs.emplace(most, run_step(context, s, parts.shapes, parts.blocks, most));
    return step;
  }

 private:
  [[nodiscard]] int kind(std::size_t type) const { return c_.types[type].kind; }
  /// Whether a class has a stage on a type, or on a type with equal hardware.
  [[nodiscard]] bool has(const Strategy& s, const PipelineClass& one, std::size_t type) const {
    for (int stage = 0; stage < s.pp; ++stage)
      if (c_.on(one.type_of(stage)).kind == kind(type)) return true;
    return false;
  }
  [[nodiscard]] std::vector<bool> used_kinds(const Strategy& s) const {
    std::vector<bool> used(c_.types.size(), false);
    const ReplicaClasses classes(c_.job.batch, s);
    for (std::size_t t = 0; t < used.size(); ++t)
      for (std::size_t k = 0; k < classes.size(); ++k) used[t] = used[t] || has(s, classes[k], t);
    return used;
  }
  [[nodiscard]] std::vector<int> kinds_of_ranks(const Strategy& s) const {
    std::vector<int> kinds = rank_types(s);
    for (int& type : kinds) type = c_.on(type).kind;
    return kinds;
  }
  /// The most micro-batches of any replica with a stage on the type.
  [[nodiscard]] int most_micro_batches(const Strategy& s, std::size_t type) const {
    int most = 0;
    const ReplicaClasses classes(c_.job.batch, s);
    for (std::size_t k = 0; k < classes.size(); ++k)
      if (has(s, classes[k], type)) most = std::max(most, classes[k].micro_batches);
    return most;
  }
  /// By type: forward and backward time of a micro-batch on the slowest stage of the pipelines that
  /// use the type.
  [[nodiscard]] std::vector<Time> slowest_passes(const CostContext& context,
                                                 const Strategy& s) const {
    const ReplicaClasses classes(c_.job.batch, s);
    std::vector<Time> of_class(classes.size()), passes(c_.types.size());
    for (const StageUse& use : stage_uses(context, s, type_blocks(context, s).blocks)) {
      Time& most = of_class[static_cast<std::size_t>(use.pipeline)];
      most = std::max(most, use.pass);
    }
    for (std::size_t t = 0; t < passes.size(); ++t)
      for (std::size_t k = 0; k < of_class.size(); ++k)
        if (has(s, classes[k], t)) passes[t] = std::max(passes[t], of_class[k]);
    return passes;
  }
  static void add(const Slowdown& slow, std::vector<Slowdown>& slowdowns) {
    const auto known = std::ranges::find(slowdowns, slow.dimension, &Slowdown::dimension);
    if (known == slowdowns.end())
      slowdowns.push_back(slow);
    else
      known->factor = std::max(known->factor, slow.factor);
  }

  const CostContext& c_;
  std::shared_ptr<GroupRuns> runs_;
};

StepByPasses::StepByPasses(const CostContext& context, const Engine& engine)
    : state_(std::make_unique<State>(context, engine)) {}
StepByPasses::~StepByPasses() = default;

SimulatedStep StepByPasses::run(const Strategy& strategy, const Mapping& mapping,
                                std::span<const int> runs) {
  return state_->run(strategy, mapping, runs);
}

}  // namespace railyard::placement
