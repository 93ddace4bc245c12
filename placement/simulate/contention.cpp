#include "placement/simulate/contention.hpp"

#include <algorithm>

#include "placement/cost/data_parallel.hpp"
#include "placement/cost/memory.hpp"
#include "placement/cost/step.hpp"
#include "placement/strategy/stages.hpp"

namespace railyard::placement {
namespace {

using collectives::Kind;

/// Writes down what is asked; all of it takes no time.
class Recorder final : public CommunicationModel {
 public:
  Time time(Kind kind, const GroupShape& shape, double bytes) override {
    asked.push_back({kind, shape, bytes});
    return {};
  }
  std::vector<DimensionLoad> asked;
};

/// What one layer asks of a shape, merged: a reduce_scatter moves the bytes of an all_gather and
/// half of those of an all_reduce.
DimensionLoad merged(const std::vector<DimensionLoad>& asked, const GroupShape& shape) {
  DimensionLoad sum{Kind::reduce_scatter, shape, 0};
  for (const DimensionLoad& one : asked) {
    if (!(one.shape == shape)) continue;
    if (one.kind == Kind::all_to_all || one.kind == Kind::send_recv) sum.kind = one.kind;
    sum.bytes += one.kind == Kind::all_reduce ? 2 * one.bytes : one.bytes;
  }
  return sum;
}

/// Of the layers of one kind on a stage, on average.
void add_layers(const CostContext& c, const Strategy& s, const GroupShapes& shapes, bool sparse,
                PassLoads& loads) {
  const Model& m = c.job.model;
  const double layers =
      static_cast<double>(sparse ? m.moe_layers() : m.layers - m.moe_layers()) / s.pp;
  if (!(layers > 0)) return;
  Recorder recorder;
  const CostContext asking{.job = c.job,
                           .gpu = c.gpu,
                           .communication = recorder,
                           .gpus_per_node = c.gpus_per_node,
                           .order = c.order};
  (void)layer_cost(asking, s, shapes, sparse);
  // A full recomputation is one more forward pass.
  const double passes = layers * (s.recompute == Recompute::full ? 1.5 : 1.0);
  const auto add = [&](std::string_view name, const GroupShape& shape, double times) {
    DimensionLoad load = merged(recorder.asked, shape);
    load.bytes *= times;
    if (shape.size < 2 || !(load.bytes > 0)) return;
    const auto known = std::ranges::find(loads.blocking, name, &PassLoads::Load::dimension);
    if (known != loads.blocking.end())
      known->load.bytes += load.bytes;
    else
      loads.blocking.push_back({name, load});
  };
  add("tp", shapes.tp, passes);
  // Around the ring every hop but one, and backward the gradients too.
  add("cp", shapes.cp, passes * (s.context == ContextKind::ring ? 1.5 * (s.cp - 1) : 1.0));
  add("ep", shapes.ep, passes);
}

void add_replicas(const CostContext& c, const Strategy& s, const GroupShapes& shapes,
                  PassLoads& loads) {
  if (!s.dp_overlap) return;
  const int m = micro_batches(c.job.batch, s);
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
  const auto add = [&](std::string_view name, const GroupShape& shape, double count) {
    if (shape.size > 1 && count > 0) loads.replicas.push_back({name, {kind, shape, count * each}});
  };
  add("dp", s.zero > 0 ? shapes.shard : shapes.replicas, parameters.dense);
  add("expert dp", s.zero > 0 ? shapes.expert_shard : shapes.expert_replicas, parameters.experts);
  // Copies sum what they hold of the gradients once a step.
  const double summed = parameters.dense / s.shards() * gradient / (every_pass ? m : passes);
  if (s.zero > 0 && shapes.mirrors.size > 1)
    loads.replicas.push_back({"copies", {Kind::all_reduce, shapes.mirrors, summed}});
  if (!loads.replicas.empty()) loads.with_replicas = every_pass ? 1 : passes / m;
}

}  // namespace

PassLoads pass_loads(const CostContext& c, const Strategy& s, const GroupShapes& shapes) {
  PassLoads loads;
  add_layers(c, s, shapes, false, loads);
  add_layers(c, s, shapes, true, loads);
  if (s.pp > 1)
    loads.hops.push_back({"pp", {Kind::send_recv, shapes.pp, hop_bytes(c.job, s) * s.interleave}});
  add_replicas(c, s, shapes, loads);
  return loads;
}

ContendedCollectives::Factor& ContendedCollectives::factor_of(const PassLoads::Load& part) {
  const auto known = std::ranges::find(factors_, part.dimension, &Factor::dimension);
  if (known != factors_.end()) return *known;
  return factors_.emplace_back(
      Factor{part.dimension, part.load.shape, part.load.kind == Kind::send_recv, 1.0});
}

void ContendedCollectives::run(const Loads& all, const Loads& counted, Time pass, double weight) {
  std::vector<DimensionLoad> parts;
  for (const PassLoads::Load& one : all) {
    unsigned others = 0;
    for (const PassLoads::Load& other : all)
      if (other.dimension != one.dimension) others |= alone_.link_kinds(other.load);
    if ((others & alone_.link_kinds(one.load)) != 0) parts.push_back(one.load);
  }
  if (parts.size() < 2) return;
  const std::vector<Time> together = alone_.together(parts);
  const Time longest = *std::ranges::max_element(together);
  const double meet = pass > Time() ? std::min(1.0, longest.seconds() / pass.seconds()) : 1.0;
  for (const PassLoads::Load& one : counted) {
    const auto at = std::ranges::find(parts, one.load);
    if (at == parts.end()) continue;
    const Time alone = alone_.time(one.load.kind, one.load.shape, one.load.bytes);
    const Time beside = together[static_cast<std::size_t>(at - parts.begin())];
    if (alone <= Time() || beside <= alone) continue;
    factor_of(one).factor += weight * meet * (beside.seconds() / alone.seconds() - 1);
  }
}

void ContendedCollectives::run_pass(const PassLoads& loads, bool with_replicas, Time pass,
                                    double weight) {
  if (!(weight > 0)) return;
  Loads beside = loads.hops;
  if (with_replicas) beside.insert(beside.end(), loads.replicas.begin(), loads.replicas.end());
  Loads all = beside;
  all.insert(all.end(), loads.blocking.begin(), loads.blocking.end());
  // Sends and gradients meet the collectives of layers of all dimensions in turn; those meet sends
  // and gradients, never each other.
  if (loads.blocking.size() < 2) {
    run(all, all, pass, weight);
    return;
  }
  run(all, beside, pass, weight);
  for (const PassLoads::Load& one : loads.blocking) {
    Loads its = beside;
    its.push_back(one);
    run(its, {one}, pass, weight);
  }
}

void ContendedCollectives::place(const CostContext& context, const Strategy& strategy,
                                 const GroupShapes& shapes, Time pass) {
  factors_.clear();
  PassLoads loads = pass_loads(context, strategy, shapes);
  const auto seconds = [&](const PassLoads::Load& one) {
    return alone_.time(one.load.kind, one.load.shape, one.load.bytes);
  };
  std::ranges::sort(loads.replicas, std::ranges::greater{}, seconds);
  run_pass(loads, false, pass, 1 - loads.with_replicas);
  if (loads.with_replicas <= 0) return;
  run_pass(loads, true, pass, loads.with_replicas);
  // Gradients are under way in those passes alone, and all that they take falls on them. Those of
  // experts and of the rest are reduced one after the other: the longer was run, both meet the
  // same.
  const double factor = 1 + (factor_of(loads.replicas.front()).factor - 1) / loads.with_replicas;
  for (const PassLoads::Load& one : loads.replicas) factor_of(one).factor = factor;
}

Time ContendedCollectives::time(Kind kind, const GroupShape& shape, double bytes) {
  const Time alone = alone_.time(kind, shape, bytes);
  for (const Factor& factor : factors_)
    if (factor.shape == shape && factor.is_hop == (kind == Kind::send_recv))
      return Time::from_seconds(alone.seconds() * factor.factor);
  return alone;
}

std::vector<Slowdown> ContendedCollectives::slowdowns() const {
  std::vector<Slowdown> slow;
  for (const Factor& factor : factors_)
    if (factor.factor > 1.01) slow.push_back({factor.dimension, factor.factor});
  return slow;
}

}  // namespace railyard::placement
