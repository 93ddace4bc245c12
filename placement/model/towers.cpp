#include "placement/model/towers.hpp"

#include <algorithm>
#include <cmath>

namespace railyard::placement {

Model tower_model(const TowerSpec& t) {
  return {.name = t.name,
          .layers = t.layers,
          .hidden = t.hidden,
          .ffn = t.ffn,
          .heads = t.heads,
          .vocabulary = 1,
          .positions = t.positions,
          .sequence = t.tokens,
          .mlp = t.mlp,
          .norm = t.norm,
          .biases = t.biases,
          .dropout = false,
          .causal = false};
}

Job tower_job(const Job& job, const TowerSpec& t) {
  Job inside = job;
  inside.model = tower_model(t);
  inside.sequence = t.tokens;
  inside.batch = std::max(1, static_cast<int>(std::lround(job.batch * t.inputs)));
  return inside;
}

double projected_tokens(const TowerSpec& t) { return t.projected > 0 ? t.projected : t.tokens; }

double projector_inputs(const TowerSpec& t) {
  return t.projector_inputs > 0 ? t.projector_inputs : t.hidden;
}

}  // namespace railyard::placement
