#include "placement/simulate/contention.hpp"

#include <algorithm>

#include "placement/cost/data_parallel.hpp"
#include "placement/cost/memory.hpp"
#include "placement/cost/step.hpp"
#include "placement/strategy/stages.hpp"

namespace railyard::placement {
namespace {

using collectives::Kind;

/// Records the collectives that a cost function requests; all have time 0.
class Recorder final : public CommunicationModel {
 public:
  explicit Recorder(std::vector<GroupCollective>& asked) : asked_(asked) {}
  Time time(const GroupCollective& collective) const override {
    asked_.push_back(collective);
    return {};
  }

 private:
  std::vector<GroupCollective>& asked_;
};

/// The collectives of a role in one layer, merged into one. A reduce_scatter moves the bytes of an
/// all_gather, and half of those of an all_reduce.
GroupCollective merged(const std::vector<GroupCollective>& asked, GroupRole role,
                       const GroupShape& shape) {
  GroupCollective sum{Kind::reduce_scatter, role, shape, 0};
  for (const GroupCollective& one : asked) {
    if (one.role != role) continue;
    if (one.kind == Kind::all_to_all || one.kind == Kind::send_recv) sum.kind = one.kind;
    sum.bytes += one.kind == Kind::all_reduce ? 2 * one.bytes : one.bytes;
  }
  return sum;
}

/// Adds the collectives of all dense or all sparse layers of an average stage.
void add_layers(const TypeContext& c, const Strategy& s, const GroupShapes& shapes, bool sparse,
                PassLoads& loads) {
  const Model& m = c.job.model;
  const double layers =
      static_cast<double>(sparse ? m.moe_layers() : m.layers - m.moe_layers()) / s.pp;
  if (!(layers > 0)) return;
  std::vector<GroupCollective> asked;
  const Recorder recorder(asked);
  const TypeContext asking{.job = c.job,
                           .gpu = c.gpu,
                           .communication = recorder,
                           .gpus_per_node = c.gpus_per_node,
                           .order = c.order};
  (void)layer_cost(asking, s, shapes, sparse);
  // Full recomputation is one more forward pass: 3 passes instead of 2.
  const double passes = layers * (s.recompute == Recompute::full ? 1.5 : 1.0);
  const auto add = [&](GroupRole role, double times) {
    GroupCollective load = merged(asked, role, shapes[role]);
    load.bytes *= times;
    if (load.shape.size < 2 || !(load.bytes > 0)) return;
    const auto known = std::ranges::find(loads.blocking, role, &GroupCollective::role);
    if (known != loads.blocking.end())
      known->bytes += load.bytes;
    else
      loads.blocking.push_back(load);
  };
  add(GroupRole::tensor, passes);
  // Ring attention sends in cp - 1 hops; backward also gradients.
  add(GroupRole::context, passes * (s.context == ContextKind::ring ? 1.5 * (s.cp - 1) : 1.0));
  add(GroupRole::expert, passes);
}

void add_replicas(const TypeContext& c, const Strategy& s, const GroupShapes& shapes, int m,
                  PassLoads& loads) {
  if (!s.dp_overlap) return;
  const double gradient = c.job.gradient_bytes(), weight = c.job.element_bytes();
  const bool every_pass = s.zero >= 2;
  const double passes = every_pass ? 1 : gradient_passes(s, m);
  const double each = (s.zero == 3 ? 2 * weight + gradient : gradient) / passes;
  const Kind kind = s.zero == 0 ? Kind::all_reduce : Kind::reduce_scatter;
  StageParameters parameters;
  for (int stage = 0; stage < s.pp; ++stage) {
    const StageParameters of = rank_parameters(c.job, s, stage);
    parameters.dense = std::max(parameters.dense, of.dense);
    parameters.experts = std::max(parameters.experts, of.experts);
  }
  const auto add = [&](GroupRole role, double count) {
    if (shapes[role].size > 1 && count > 0)
      loads.replicas.push_back({kind, role, shapes[role], count * each});
  };
  add(s.zero > 0 ? GroupRole::shard : GroupRole::data, parameters.dense);
  add(s.zero > 0 ? GroupRole::expert_shard : GroupRole::expert_data, parameters.experts);
  // Copies of the sharded state sum their gradients once per step.
  const double summed = parameters.dense / s.shards() * gradient / (every_pass ? m : passes);
  if (s.zero > 0 && shapes.mirrors.size > 1)
    loads.replicas.push_back({Kind::all_reduce, GroupRole::copies, shapes.mirrors, summed});
  if (!loads.replicas.empty()) loads.with_replicas = every_pass ? 1 : passes / m;
}

}  // namespace

PassLoads pass_loads(const TypeContext& c, const Strategy& s, const GroupShapes& shapes,
                     int micro_batches) {
  PassLoads loads;
  add_layers(c, s, shapes, false, loads);
  add_layers(c, s, shapes, true, loads);
  if (s.pp > 1)
    loads.hops.push_back(
        {Kind::send_recv, GroupRole::pipeline, shapes.pp, hop_bytes(c.job, s) * s.interleave});
  add_replicas(c, s, shapes, micro_batches, loads);
  return loads;
}

double& ContendedCollectives::factor_of(GroupRole role) {
  const auto known = std::ranges::find(factors_, role, &Factor::role);
  if (known != factors_.end()) return known->factor;
  return factors_.emplace_back(Factor{role, 1.0}).factor;
}

void ContendedCollectives::run(const Loads& all, const Loads& counted, Time pass, double weight) {
  std::vector<GroupCollective> parts;
  for (const GroupCollective& one : all) {
    unsigned others = 0;
    for (const GroupCollective& other : all)
      if (other.role != one.role) others |= alone_.link_kinds(other);
    if ((others & alone_.link_kinds(one)) != 0) parts.push_back(one);
  }
  if (parts.size() < 2) return;
  const std::vector<Time> together = alone_.together(parts);
  const Time longest = *std::ranges::max_element(together);
  const double meet = pass > Time() ? std::min(1.0, longest.seconds() / pass.seconds()) : 1.0;
  for (const GroupCollective& one : counted) {
    const auto at = std::ranges::find(parts, one);
    if (at == parts.end()) continue;
    const Time alone = alone_.time(one);
    const Time beside = together[static_cast<std::size_t>(at - parts.begin())];
    if (alone <= Time() || beside <= alone) continue;
    factor_of(one.role) += weight * meet * (beside.seconds() / alone.seconds() - 1);
  }
}

void ContendedCollectives::run_pass(const PassLoads& loads, bool with_replicas, Time pass,
                                    double weight) {
  if (!(weight > 0)) return;
  Loads beside = loads.hops;
  if (with_replicas) beside.insert(beside.end(), loads.replicas.begin(), loads.replicas.end());
  Loads all = beside;
  all.insert(all.end(), loads.blocking.begin(), loads.blocking.end());
  // Messages and gradients overlap with the layers' collectives of one dimension after another;
  // these never overlap with each other.
  if (loads.blocking.size() < 2) {
    run(all, all, pass, weight);
    return;
  }
  run(all, beside, pass, weight);
  for (const GroupCollective& one : loads.blocking) {
    Loads its = beside;
    its.push_back(one);
    run(its, {one}, pass, weight);
  }
}

ContendedCollectives::ContendedCollectives(const ExecutedCollectives& alone,
                                           const TypeContext& context, const Strategy& strategy,
                                           const GroupShapes& shapes,
                                           const ConcurrentPasses& passes)
    : alone_(alone) {
  PassLoads loads = pass_loads(context, strategy, shapes, passes.micro_batches);
  const auto seconds = [&](const GroupCollective& one) { return alone_.time(one); };
  std::ranges::sort(loads.replicas, std::ranges::greater{}, seconds);
  run_pass(loads, false, passes.pass, 1 - loads.with_replicas);
  if (loads.with_replicas <= 0) return;
  run_pass(loads, true, passes.pass, loads.with_replicas);
  // Only these passes overlap with gradients, so the whole slowdown belongs to them. Gradients of
  // experts and of other weights are reduced one after the other: the longer one was simulated, and
  // its factor applies to both.
  const double factor = 1 + (factor_of(loads.replicas.front().role) - 1) / loads.with_replicas;
  for (const GroupCollective& one : loads.replicas) factor_of(one.role) = factor;
}

Time ContendedCollectives::time(const GroupCollective& collective) const {
  const Time alone = alone_.time(collective);
  const auto factor = std::ranges::find(factors_, collective.role, &Factor::role);
  return factor == factors_.end() ? alone : Time::from_seconds(alone.seconds() * factor->factor);
}

std::vector<Slowdown> ContendedCollectives::slowdowns() const {
  std::vector<Slowdown> slow;
  for (const Factor& factor : factors_)
    if (factor.factor > 1.01) slow.push_back({name_of(factor.role), factor.factor});
  return slow;
}

}  // namespace railyard::placement
