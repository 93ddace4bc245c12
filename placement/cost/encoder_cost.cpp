#include "placement/cost/encoder_cost.hpp"

#include "placement/cost/activations.hpp"
#include "placement/cost/layer_cost.hpp"
#include "placement/cost/pass_builder.hpp"
#include "placement/model/encoder.hpp"

namespace railyard::placement {

Strategy encoder_strategy(const Strategy& strategy) {
  Strategy s = strategy;
  s.layers.clear();
  return s;
}

LayerCost encoder_cost(const TypeContext& c, const Strategy& strategy, const GroupShapes& shapes) {
  const Job job = encoder_job(c.job);
  const Strategy s = encoder_strategy(strategy);
  const TypeContext inside{.job = job,
                           .gpu = c.gpu,
                           .communication = c.communication,
                           .gpus_per_node = c.gpus_per_node,
                           .order = c.order};
  LayerCost cost = layer_cost(inside, s, shapes, false);
  cost = {cost.forward * job.model.layers, cost.backward * job.model.layers,
          cost.recompute * job.model.layers, cost.scatter * job.model.layers};
  const PassBuilder b(inside, s, shapes);
  for (const StemSpec& stem : c.job.model.encoder->stem)
    b.weights(cost, LayerPart::mlp, b.tokens * stem.per_token,
              static_cast<double>(job.model.hidden) / s.tp, stem.inputs);
  if (reads_text(c.job.model)) {
    const LayerCost words = embedding_cost(inside, s, shapes);
    cost.forward += words.forward;
    cost.backward += words.backward;
    cost.scatter += words.scatter;
  }
  if (c.job.model.encoder->frozen) cost.backward = cost.recompute = cost.scatter = {};
  return cost;
}

double encoder_activations(const Job& job, const Strategy& strategy) {
  if (!job.model.encoder || job.model.encoder->frozen) return 0;
  const Job inside = encoder_job(job);
  const Bytes layer =
      layer_activations(inside, encoder_strategy(strategy), strategy.recompute, false);
  return inside.model.layers * static_cast<double>(layer.count());
}

double encoder_output_bytes(const Job& job, const Strategy& s) {
  const EncoderSpec& e = *job.model.encoder;
  const double tokens = static_cast<double>(s.micro_batch) * e.tokens;
  const int hidden = e.hidden > 0 ? e.hidden : job.model.hidden;
  return tokens * hidden * job.element_bytes() / (s.sequence_parallel ? s.tp : 1);
}

}  // namespace railyard::placement
