#include "placement/model/encoder.hpp"

#include "placement/cost/activations.hpp"
#include "placement/cost/pass_builder.hpp"
#include "placement/model/flops.hpp"
#include "placement/model/parameters.hpp"

namespace railyard::placement {
namespace {

int given(int size, int otherwise) { return size > 0 ? size : otherwise; }

}  // namespace

Model encoder_model(const Model& model) {
  const EncoderSpec& e = *model.encoder;
  Model m = model;
  m.layers = e.layers;
  m.sequence = e.tokens;
  m.hidden = given(e.hidden, model.hidden);
  m.ffn = given(e.ffn, model.ffn);
  m.heads = given(e.heads, model.heads);
  m.kv_heads = e.heads > 0 ? 0 : model.kv_heads;
  m.head_dim = e.head_dim > 0 || e.hidden > 0 || e.heads > 0 ? e.head_dim : model.head_dim;
  m.positions = e.positions;
  m.causal = false;
  m.encoder.reset();
  return m;
}

Job encoder_job(const Job& job) {
  Job inside = job;
  inside.model = encoder_model(job.model);
  inside.sequence = inside.model.sequence;
  return inside;
}

Strategy encoder_strategy(const Strategy& strategy) {
  Strategy s = strategy;
  s.layers.clear();
  return s;
}

bool reads_text(const Model& model) { return model.encoder && model.encoder->stem.empty(); }

std::int64_t relative_parameters(const Model& model) {
  return std::int64_t{model.relative_buckets} * model.heads;
}

std::int64_t encoder_parameters(const Model& model) {
  if (!model.encoder) return 0;
  const Model m = encoder_model(model);
  const std::int64_t h = m.hidden, norm = (m.norm == Norm::layer_norm ? 2 : 1) * h;
  std::int64_t stem = 0;
  for (const StemSpec& s : model.encoder->stem) stem += h * s.inputs + (m.biases ? h : 0);
  return stem + h * m.positions + relative_parameters(m) + norm +
         m.layers * layer_parameters(m, false).total();
}

double encoder_flops(const Job& job) {
  if (!job.model.encoder) return 0;
  const Job inside = encoder_job(job);
  const double tokens = inside.sequence;
  double forward = inside.model.layers * layer_flops(inside, tokens, false).total();
  for (const StemSpec& s : job.model.encoder->stem)
    forward += 2.0 * s.inputs * inside.model.hidden * s.per_token * tokens;
  return (job.model.encoder->frozen ? 1 : 3) * forward;
}

LayerCost encoder_cost(const CostContext& c, const Strategy& strategy, const GroupShapes& shapes) {
  const Job job = encoder_job(c.job);
  const Strategy s = encoder_strategy(strategy);
  const CostContext inside{.job = job,
                           .gpu = c.gpu,
                           .communication = c.communication,
                           .gpus_per_node = c.gpus_per_node,
                           .order = c.order};
  LayerCost cost = layer_cost(inside, s, shapes, false);
  cost = {cost.forward * job.model.layers, cost.backward * job.model.layers,
          cost.recompute * job.model.layers};
  const PassBuilder b(inside, s, shapes);
  for (const StemSpec& stem : c.job.model.encoder->stem)
    b.weights(cost, b.tokens * stem.per_token, static_cast<double>(job.model.hidden) / s.tp,
              stem.inputs);
  if (reads_text(c.job.model)) {
    const LayerCost words = embedding_cost(inside, s, shapes);
    cost.forward += words.forward;
    cost.backward += words.backward;
  }
  if (c.job.model.encoder->frozen) cost.backward = cost.recompute = {};
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
  return tokens * given(e.hidden, job.model.hidden) * job.element_bytes() /
         (s.sequence_parallel ? s.tp : 1);
}

}  // namespace railyard::placement
