#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace railyard::placement {

/// What is computed again in the backward pass: nothing; the attention core (Korthikanti et al.,
/// arXiv 2205.05198); whole layers.
enum class Recompute { none, selective, full };
/// Order of forward and backward micro-batches. zero_bubble is ZB-H1 (arXiv 2401.10241), dualpipe
/// that of DeepSeek-V3 (arXiv 2412.19437).
enum class PipelineSchedule { gpipe, one_f_one_b, interleaved, zero_bubble, dualpipe };
/// How context parallelism moves keys and values: around a ring, gathered, or heads for sequence
/// (Ulysses, arXiv 2309.14509).
enum class ContextKind { ring, all_gather, ulysses };

/// Replicas of a model whose pipelines are alike.
struct PipelineClass {
  std::vector<int> types{};  ///< of GPU, by stage; empty: type 0 (A) for all stages
  int replicas = 1;
  int micro_batches = 0;  ///< of each replica in a step,
  int fewer = 0;          ///< and of so many of them one less
  [[nodiscard]] int type_of(int stage) const {
    return types.empty() ? 0 : types[static_cast<std::size_t>(stage)];
  }
  /// All stages are on one type.
  [[nodiscard]] bool is_pure() const;
  bool operator==(const PipelineClass&) const = default;
};

/// How a job is spread over GPUs: one value per parallel dimension. On GPUs of several types there
/// are classes of replicas: each tensor, context and expert group lies on one type, stages may be
/// on different types, and so may replicas. Stage i has the same layers in all of them.
struct Strategy {
  int tp = 1;
  int pp = 1;
  int dp = 1;
  int cp = 1;
  int ep = 1;           ///< of dp x cp (x tp / etp): experts are spread over these ranks
  int etp = 1;          ///< tensor parallelism inside an expert: 1 or tp
  int zero = 0;         ///< 0..3: optimizer, gradients, parameters sharded over dp x cp
  int shard_group = 0;  ///< ranks that share one copy of what is sharded; 0: all of dp x cp
  int micro_batch = 1;  ///< sequences of a micro-batch
  int interleave = 1;   ///< pipeline stages per rank
  Recompute recompute = Recompute::none;
  int recompute_layers = 0;  ///< per stage, of full; 0: all
  bool early_stop = false;   ///< full recomputation ends at the last tensor that backward needs
  /// Operations that each layer computes again instead of keeping their outputs, with recompute
  /// none or selective (DeepSeek-V3, arXiv 2412.19437, section 3.2.3).
  bool recompute_norms = false;  ///< norms
  bool recompute_act = false;    ///< activation functions of MLPs and experts
  bool recompute_mla = false;    ///< products that make queries, keys and values from latent ones
  bool sequence_parallel = false;
  PipelineSchedule schedule = PipelineSchedule::one_f_one_b;
  ContextKind context = ContextKind::ring;
  std::vector<int> layers{};  ///< of each stage, chunk by chunk; empty: dealt evenly
  int tower_stages = 0;       ///< at the front, of towers or the encoder alone; 0: on the first
  bool even_ends = false;     ///< embedding and head count as a layer each when layers are dealt
  bool tp_overlap = false;    ///< tensor-parallel collectives run beside the products they feed
  bool dp_overlap = false;    ///< gradients are reduced during the backward pass
  bool pp_overlap = false;    ///< sends and receives run beside the next chunk
  bool ep_overlap = false;    ///< all-to-all of one micro-batch beside the other's computation
  bool offload_optimizer = false;
  bool offload_activations = false;
  bool offload_weights = false;
  /// Of the replicas, dp together; empty: one class on type 0 with equal shares of the batch.
  std::vector<PipelineClass> classes{};

  [[nodiscard]] int gpus() const { return tp * pp * dp * cp; }
  /// Any of the operations above is computed again.
  [[nodiscard]] bool recomputes_operations() const {
    return recompute_norms || recompute_act || recompute_mla;
  }
  /// Ranks over which gradients of dense weights are summed.
  [[nodiscard]] int replicas() const { return dp * cp; }
  /// Ranks that share one copy of sharded state (zero > 0).
  [[nodiscard]] int shards() const { return shard_group > 0 ? shard_group : replicas(); }
  /// Copies of what is sharded (zero > 0): their gradients are summed over them.
  [[nodiscard]] int copies() const { return std::max(1, replicas() / shards()); }
  /// Ranks that share one copy of the sharded state of experts: as many copies as of the rest,
  /// where there are ranks for them (Megatron-LM's distributed optimizer instances).
  [[nodiscard]] int expert_shards() const { return std::max(1, expert_replicas() / copies()); }
  /// Ranks that hold the same experts: their gradients are summed.
  [[nodiscard]] int expert_replicas() const { return tp * dp * cp / (ep * etp); }
  bool operator==(const Strategy&) const = default;
};

/// Micro-batches of a replica in a step: batch / (dp x micro_batch).
[[nodiscard]] inline int micro_batches(int batch, const Strategy& s) {
  return batch / (s.dp * s.micro_batch);
}

/// The classes of a strategy; where it has none, the one of all its replicas.
class ReplicaClasses {
 public:
  ReplicaClasses(int batch, const Strategy& s)
      : only_{.replicas = s.dp, .micro_batches = s.classes.empty() ? micro_batches(batch, s) : 0},
        all_(s.classes) {}
  [[nodiscard]] std::size_t size() const { return all_.empty() ? 1 : all_.size(); }
  [[nodiscard]] const PipelineClass& operator[](std::size_t i) const {
    return all_.empty() ? only_ : all_[i];
  }

 private:
  PipelineClass only_;
  std::span<const PipelineClass> all_;
};

/// Micro-batches of all replicas in a step.
[[nodiscard]] int all_micro_batches(int batch, const Strategy& strategy);

/// Every replica has the same number of micro-batches.
[[nodiscard]] bool has_equal_batches(const Strategy& strategy);

/// GPUs of each of `types` types that take part.
[[nodiscard]] std::vector<int> gpus_used(const Strategy& strategy, std::size_t types);

/// Which dimensions a text gave.
struct GivenDimensions {
  bool pp = false, dp = false;
};

/// Reads "tp=8,pp=8,zero=1,recompute=full,sequence_parallel=true" over `strategy`; keys are those
/// of a strategy in a config, layers as in parse_counts, which give pp where it is left out.
/// Classes of replicas are joined by '+': "stages=A*2/B*2+B*4,replicas=4+2,batches=12+6" gives the
/// types of their stages, the number of replicas (0 where left out) and micro-batches of each
/// (likewise). Throws InputError at `where` with every problem.
GivenDimensions parse_strategy(std::string_view text, const std::string& where, Strategy& strategy);

/// "tp=8,pp=8,dp=64": what differs from one GPU's strategy, in the same form.
[[nodiscard]] std::string to_text(const Strategy& strategy);

}  // namespace railyard::placement
