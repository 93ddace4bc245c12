#include "placement/mapping/step_traffic.hpp"

#include <algorithm>
#include <cmath>

#include "placement/cost/activations.hpp"
#include "placement/cost/memory.hpp"
#include "placement/cost/step.hpp"
#include "placement/model/encoder.hpp"
#include "placement/strategy/stages.hpp"

namespace railyard::placement {
namespace {

/// The stage with the most layers; of equal ones, the one with the most experts.
int fullest_stage(const Job& job, const Strategy& s) {
  int fullest = 0;
  ChunkLayers most;
  for (int stage = 0; stage < s.pp; ++stage) {
    const ChunkLayers layers = stage_layers(job.model, s, stage);
    if (std::pair(layers.total(), layers.sparse) <= std::pair(most.total(), most.sparse)) continue;
    most = layers;
    fullest = stage;
  }
  return fullest;
}

class Phases {
 public:
  Phases(const Job& job, const Strategy& s)
      : job_(job),
        s_(s),
        groups_(strategy_groups(s)),
        stage_(fullest_stage(job, s)),
        layers_(stage_layers(job.model, s, stage_)),
        tokens_(micro_batch_tokens(job, s)),
        micro_batches_(micro_batches(job.batch, s)),
        // Forward and backward; a full recomputation is one more forward pass.
        passes_(s.recompute == Recompute::full ? 3 : 2) {}

  std::vector<TrafficPhase> take() {
    tensor();
    context();
    experts();
    pipeline();
    replicas();
    return std::move(phases_);
  }

 private:
  void add(const char* name, TrafficPattern pattern, RankGroups& groups, double bytes, int count) {
    if (count < 1 || bytes < 1 || groups.count() == 0 || groups[0].size() < 2) return;
    phases_.push_back({.name = name,
                       .traffic = {{pattern, std::move(groups), Bytes(std::llround(bytes))}},
                       .count = count});
  }
  /// Bytes that each rank of a ring sends in an all_gather or reduce_scatter of `bytes`.
  static double ring(double bytes, int ranks) { return bytes * (ranks - 1) / ranks; }
  [[nodiscard]] double activations() const {
    return tokens_ * job_.model.hidden * job_.element_bytes();
  }

  // One all_reduce (or all_gather and reduce_scatter) after each attention, cross-attention and
  // MLP.
  void tensor() {
    const auto& moe = job_.model.moe;
    const int behind_experts = moe && (moe->shared_ffn > 0 || s_.etp > 1) ? 1 : 0;
    const int dense = job_.model.encoder ? 3 : 2;
    const int each = dense * layers_.dense + (1 + behind_experts) * layers_.sparse;
    add("tp", TrafficPattern::ring, groups_.tp, 2 * ring(activations(), s_.tp),
        each * passes_ * micro_batches_);
    if (job_.model.encoder) encoder();
  }

  void encoder() {
    const Job inside = encoder_job(job_);
    const double bytes =
        micro_batch_tokens(inside, s_) * inside.model.hidden * job_.element_bytes();
    const double own = stage_ends(job_.model, s_, stage_, s_.pp).towers * inside.model.layers;
    const double gathers = s_.sequence_parallel ? (passes_ + 1) / 2.0 : 1;
    // With sequence parallelism the tokens are gathered once forward and twice backward.
    RankGroups groups = strategy_groups(s_).tp;
    add("tp encoder", TrafficPattern::ring, groups, 2 * ring(bytes, s_.tp),
        static_cast<int>((2 * own * passes_ + layers_.total() * gathers) * micro_batches_));
  }

  // A ring passes keys and values to all ranks, and backward also their gradients.
  void context() {
    if (s_.cp == 1) return;
    const Model& m = job_.model;
    const int over = s_.context == ContextKind::ulysses ? s_.tp * s_.cp : s_.tp;
    const double kv = tokens_ * m.kv_heads_over(over) / s_.tp * (m.key_dim() + m.value_dim()) *
                      job_.element_bytes();
    const int layers = layers_.total() * micro_batches_;
    if (s_.context == ContextKind::ulysses) {
      const double q = tokens_ * m.heads / s_.tp * (m.key_dim() + m.value_dim());
      add("cp", TrafficPattern::all_to_all, groups_.cp, q * job_.element_bytes() + kv,
          layers * passes_);
    } else {
      add("cp", TrafficPattern::ring, groups_.cp, kv * (s_.cp - 1), layers * (passes_ + 1));
    }
  }

  // Two all-to-alls per sparse layer: tokens to the experts, and their results back.
  void experts() {
    if (s_.ep == 1 || !job_.model.moe) return;
    const double share = s_.sequence_parallel ? activations() / s_.tp : activations();
    add("ep", TrafficPattern::all_to_all, groups_.ep, share * job_.model.moe->slots(),
        2 * layers_.sparse * passes_ * micro_batches_);
  }

  void pipeline() {
    add("pp", TrafficPattern::chain, groups_.pp, hop_bytes(job_, s_),
        s_.interleave * micro_batches_);
  }

  void replicas() {
    const StageParameters parameters = stage_parameters(job_, s_, stage_);
    const auto sent = [&](double count, std::size_t ranks) {
      const double gradients = ring(count * job_.gradient_bytes(), static_cast<int>(ranks));
      const double weights = ring(count * job_.element_bytes(), static_cast<int>(ranks));
      if (s_.zero == 0) return 2 * gradients;
      return s_.zero == 3 ? 2 * weights + gradients : weights + gradients;
    };
    const int times = s_.zero == 3 ? micro_batches_ : 1;
    const bool copies = s_.zero > 0 && groups_.mirrors.count() > 0;
    RankGroups& dense = copies ? groups_.shard : groups_.replicas;
    add("dp", TrafficPattern::ring, dense, sent(parameters.dense, dense[0].size()), times);
    if (copies)
      add("copies", TrafficPattern::ring, groups_.mirrors,
          2 * ring(parameters.dense / s_.shards() * job_.gradient_bytes(),
                   static_cast<int>(groups_.mirrors[0].size())),
          1);
    if (parameters.experts > 0)
      add("expert dp", TrafficPattern::ring, groups_.expert_replicas,
          sent(parameters.experts, groups_.expert_replicas[0].size()), times);
  }

  const Job& job_;
  const Strategy& s_;
  StrategyGroups groups_;
  int stage_;
  ChunkLayers layers_;
  double tokens_;
  int micro_batches_, passes_;
  std::vector<TrafficPhase> phases_;
};

}  // namespace

std::vector<TrafficPhase> step_traffic(const Job& job, const Strategy& strategy) {
  return Phases(job, strategy).take();
}

}  // namespace railyard::placement
