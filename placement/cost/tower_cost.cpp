#include "placement/cost/tower_cost.hpp"

#include <algorithm>
#include <cmath>

#include "placement/cost/activations.hpp"
#include "placement/cost/layer_cost.hpp"
#include "placement/cost/pass_builder.hpp"
#include "placement/model/towers.hpp"

namespace railyard::placement {
namespace {

LayerCost scaled(const LayerCost& cost, double by) {
  const auto pass = [&](const PassCost& p) {
    const auto part = [&](Time t) { return Time::from_seconds(t.seconds() * by); };
    // One launch processes all inputs of a micro-batch.
    return PassCost{.compute = part(p.compute),
                    .tp = part(p.tp),
                    .cp = part(p.cp),
                    .ep = part(p.ep),
                    .kernels = p.kernels};
  };
  return {pass(cost.forward), pass(cost.backward), pass(cost.recompute), pass(cost.scatter)};
}

void add(LayerCost& sum, const LayerCost& cost, int times) {
  sum.forward += cost.forward * times;
  sum.backward += cost.backward * times;
  sum.recompute += cost.recompute * times;
  sum.scatter += cost.scatter * times;
}

/// Cost of one tower for the inputs of a micro-batch.
LayerCost one_tower(const TypeContext& c, const TowerSpec& t, const Strategy& s,
                    const GroupShapes& shapes) {
  const Job job = tower_job(c.job, t);
  const double inputs = tower_inputs(t, s);
  Strategy inside = tower_strategy(s);
  inside.micro_batch = std::max(1, static_cast<int>(std::lround(inputs)));
  const TypeContext context{.job = job,
                            .gpu = c.gpu,
                            .communication = c.communication,
                            .gpus_per_node = c.gpus_per_node,
                            .order = c.order};
  LayerCost cost;
  add(cost, layer_cost(context, inside, shapes, false), t.layers);
  if (t.patch > 0) {
    const PassBuilder b(context, inside, shapes);
    b.weights(cost, LayerPart::mlp, b.tokens, static_cast<double>(t.hidden) / s.tp, t.patch);
  }
  if (t.frozen) cost.backward = cost.recompute = cost.scatter = {};
  return scaled(cost, inputs / inside.micro_batch);
}

}  // namespace

Strategy tower_strategy(const Strategy& strategy) {
  Strategy s = strategy;
  s.cp = s.ep = s.etp = 1;
  s.layers.clear();
  return s;
}

double tower_inputs(const TowerSpec& t, const Strategy& s) {
  return t.inputs * s.micro_batch / s.cp;
}

LayerCost tower_cost(const TypeContext& c, const Strategy& s, const GroupShapes& shapes) {
  LayerCost sum;
  for (const TowerSpec& t : c.job.model.towers) add(sum, one_tower(c, t, s, shapes), 1);
  return sum;
}

LayerCost projector_cost(const TypeContext& c, const Strategy& s, const GroupShapes& shapes) {
  const PassBuilder b(c, s, shapes);
  LayerCost sum;
  for (const TowerSpec& t : c.job.model.towers) {
    const double tokens = tower_inputs(t, s) * projected_tokens(t), in = projector_inputs(t);
    const double hidden = c.job.model.hidden,
                 inner = static_cast<double>(t.projector_hidden) / s.tp;
    if (t.projector_hidden == 0) {
      b.weights(sum, LayerPart::mlp, tokens, hidden / s.tp, in);
      continue;
    }
    b.weights(sum, LayerPart::mlp, tokens, inner, in);
    b.stream(sum.forward, tokens, 2 * b.element * inner);
    b.stream(sum.backward, tokens, 3 * b.element * inner);
    b.weights(sum, LayerPart::mlp, tokens, hidden, inner);
  }
  return sum;
}

double tower_activations(const Job& job, const Strategy& s) {
  double bytes = 0;
  for (const TowerSpec& t : job.model.towers) {
    if (t.frozen) continue;
    Strategy one = tower_strategy(s);
    one.micro_batch = 1;
    const Bytes layer = layer_activations(tower_job(job, t), one, s.recompute, false);
    bytes += tower_inputs(t, s) * t.layers * static_cast<double>(layer.count());
  }
  return bytes;
}

double projector_activations(const Job& job, const Strategy& s) {
  double bytes = 0;
  for (const TowerSpec& t : job.model.towers) {
    // Its input, and the tensors before and after the activation function between its matrices.
    const double numbers = projector_inputs(t) + 2.0 * t.projector_hidden / s.tp;
    bytes += tower_inputs(t, s) * projected_tokens(t) * numbers * job.element_bytes();
  }
  return bytes;
}

}  // namespace railyard::placement
