#include "placement/model/encoder.hpp"

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

bool reads_text(const Model& model) { return model.encoder && model.encoder->stem.empty(); }

}  // namespace railyard::placement
