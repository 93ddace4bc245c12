#include "placement/mixed/verify_mixed.hpp"

#include <algorithm>
#include <memory>
#include <unordered_map>

#include "core/diagnostic.hpp"
#include "placement/mixed/mixed_run.hpp"

namespace railyard::placement {
namespace {

/// Runs one candidate after the other; answers are kept.
class Verifier {
 public:
  explicit Verifier(const MixedVerifyRequest& request)
      : c_(request.context), runs_(std::make_shared<GroupRuns>(request.engine)) {
    for (std::size_t t = 0; t < c_.types.size(); ++t)
      for (const Rank gpu : c_.types[t].free) like_[gpu.value()] = like(t);
  }

  /// With the ranks where `mapping` has them.
  StepCost run(const MixedStrategy& mixed, const Mapping& mapping) {
    const std::vector<bool> used = used_types(mixed);
    std::vector<const CommunicationModel*> models(c_.communication.begin(), c_.communication.end());
    const MixedContext context{
        .job = c_.job, .types = c_.types, .communication = models, .order = c_.order};
    const std::vector<GroupShapes> shapes = type_shapes(c_, mixed.strategy);
    std::vector<std::unique_ptr<ExecutedCollectives>> alone(used.size());
    std::vector<std::unique_ptr<ContendedCollectives>> contended(used.size());
    for (std::size_t t = 0; t < used.size(); ++t) {
      if (!used[t]) continue;
      alone[t] = std::make_unique<ExecutedCollectives>(
          runs_, *c_.communication[t], mixed.strategy, mapping,
          [&, t](Rank gpu) { return like_.at(gpu.value()) == like(t); });
      models[t] = alone[t].get();
    }
    const std::vector<Time> passes = slowest_passes(context, mixed);
    slowdowns_.clear();
    for (std::size_t t = 0; t < used.size(); ++t) {
      if (!used[t]) continue;
      contended[t] = std::make_unique<ContendedCollectives>(
          *alone[t], context.of(c_.job, static_cast<int>(t)), mixed.strategy, shapes[t],
          MeetingPasses{class_of(mixed, t).micro_batches, passes[t]});
      models[t] = contended[t].get();
      for (const Slowdown& slow : contended[t]->slowdowns()) add(slow);
    }
    return run_mixed_cost(context, mixed, type_blocks(context, mixed.strategy));
  }

  [[nodiscard]] const std::vector<Slowdown>& slowdowns() const { return slowdowns_; }

 private:
  [[nodiscard]] std::size_t like(std::size_t type) const {
    return static_cast<std::size_t>(first_alike(c_.types, static_cast<int>(type)));
  }
  /// Whether a class has a stage on a type, or on one with the same numbers.
  [[nodiscard]] bool has(const PipelineClass& one, std::size_t type) const {
    return std::ranges::any_of(
        one.types, [&](int stage) { return like(static_cast<std::size_t>(stage)) == like(type); });
  }
  [[nodiscard]] std::vector<bool> used_types(const MixedStrategy& mixed) const {
    std::vector<bool> used;
    for (std::size_t t = 0; t < c_.types.size(); ++t)
      used.push_back(std::ranges::any_of(mixed.classes,
                                         [&](const PipelineClass& one) { return has(one, t); }));
    return used;
  }
  /// The class with the type whose replicas take most micro-batches.
  [[nodiscard]] const PipelineClass& class_of(const MixedStrategy& mixed, std::size_t type) const {
    const PipelineClass* most = nullptr;
    for (const PipelineClass& one : mixed.classes)
      if (has(one, type) && (most == nullptr || one.micro_batches > most->micro_batches))
        most = &one;
    return *most;
  }
  /// By type: forward and backward of a micro-batch on the slowest stage of the pipelines that
  /// have it.
  [[nodiscard]] std::vector<Time> slowest_passes(const MixedContext& context,
                                                 const MixedStrategy& mixed) const {
    std::vector<Time> of_class(mixed.classes.size()), passes(c_.types.size());
    for (const StageUse& use : stage_uses(context, mixed, type_blocks(context, mixed.strategy))) {
      Time& most = of_class[static_cast<std::size_t>(use.pipeline)];
      most = std::max(most, use.pass);
    }
    for (std::size_t t = 0; t < passes.size(); ++t)
      for (std::size_t k = 0; k < of_class.size(); ++k)
        if (has(mixed.classes[k], t)) passes[t] = std::max(passes[t], of_class[k]);
    return passes;
  }
  void add(const Slowdown& slow) {
    const auto known = std::ranges::find(slowdowns_, slow.dimension, &Slowdown::dimension);
    if (known == slowdowns_.end())
      slowdowns_.push_back(slow);
    else
      known->factor = std::max(known->factor, slow.factor);
  }

  const MixedContext& c_;
  std::unordered_map<std::uint32_t, std::size_t> like_;  ///< by GPU; looked up alone
  std::shared_ptr<GroupRuns> runs_;
  std::vector<Slowdown> slowdowns_;
};

}  // namespace

std::vector<MixedVerified> verify_mixed(const MixedVerifyRequest& request,
                                        std::span<const MixedScored> candidates) {
  Verifier verifier(request);
  std::vector<MixedVerified> verified;
  bool goes_on = true;
  for (const MixedScored& scored : candidates) {
    MixedVerified& one = verified.emplace_back(MixedVerified{.scored = scored});
    const double done =
        static_cast<double>(verified.size() - 1) / static_cast<double>(candidates.size());
    goes_on = goes_on && (!request.keep_going || request.keep_going(done));
    if (!goes_on) continue;
    try {
      const std::vector<Mapping> mappings = request.mappings(scored.mixed);
      for (std::size_t i = 0; i < mappings.size(); ++i) {
        const StepCost cost = verifier.run(scored.mixed, mappings[i]);
        if (one.simulated && cost.total >= one.simulated->total) continue;
        one.simulated = cost;
        one.mapping = i;
        one.slowdowns = verifier.slowdowns();
      }
    } catch (const InputError& error) {
      one.why_not = error.what();
    }
  }
  std::ranges::stable_sort(verified, [](const MixedVerified& a, const MixedVerified& b) {
    if (a.simulated && b.simulated) return a.simulated->total < b.simulated->total;
    return a.simulated.has_value() && !b.simulated.has_value();
  });
  return verified;
}

}  // namespace railyard::placement
