#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace railyard::placement {

/// What the backward pass recomputes: nothing; the attention core (Korthikanti et al., arXiv
/// 2205.05198); whole layers.
enum class Recompute { none, selective, full };
/// Order of the forward and backward passes of micro-batches. zero_bubble is ZB-H1 (arXiv
/// 2401.10241), dualpipe the schedule of DeepSeek-V3 (arXiv 2412.19437).
enum class PipelineSchedule { gpipe, one_f_one_b, interleaved, zero_bubble, dualpipe };
/// How context parallelism exchanges keys and values: around a ring, by an all-gather, or by heads
/// (Ulysses, arXiv 2309.14509).
enum class ContextKind { ring, all_gather, ulysses };

/// Replicas of a model with equal pipelines.
struct PipelineClass {
  std::vector<int> types{};  ///< type of GPU by stage; empty: type 0 (A) for all stages
  int replicas = 1;
  int micro_batches = 0;  ///< of each replica in a step
  int fewer = 0;          ///< number of replicas that have one micro-batch fewer
  [[nodiscard]] int type_of(int stage) const {
    return types.empty() ? 0 : types[static_cast<std::size_t>(stage)];
  }
  /// Whether all stages use one type of GPU.
  [[nodiscard]] bool is_pure() const;
  bool operator==(const PipelineClass&) const = default;
};

/// How a job is spread over GPUs: one value per parallel dimension. On several types of GPU there
/// are classes of replicas. Each tensor, context and expert group uses one type; stages and
/// replicas may use different types. Stage i has the same layers in all classes.
struct Strategy {
  int tp = 1;
  int pp = 1;
  int dp = 1;
  int cp = 1;
  int ep = 1;           ///< divides dp x cp (x tp / etp): experts are spread over these ranks
  int etp = 1;          ///< tensor parallelism within an expert: 1 or tp
  int zero = 0;         ///< 0 to 3: optimizer, gradients, parameters are sharded over dp x cp
  int shard_group = 0;  ///< ranks that share one copy of the sharded state; 0: all of dp x cp
  int micro_batch = 1;  ///< sequences per micro-batch
  int interleave = 1;   ///< pipeline stages per rank
  Recompute recompute = Recompute::none;
  int recompute_layers = 0;  ///< per stage, with full recomputation; 0: all
  bool early_stop = false;   ///< full recomputation ends at the last tensor that backward needs
  /// Operations that the backward pass of each layer recomputes, so that their outputs are not
  /// stored, with recompute none or selective (DeepSeek-V3, arXiv 2412.19437, section 3.2.3).
  bool recompute_norms = false;  ///< norms
  bool recompute_act = false;    ///< activation functions of MLPs and experts
  bool recompute_mla = false;  ///< products that compute queries, keys and values from latent ones
  bool sequence_parallel = false;
  PipelineSchedule schedule = PipelineSchedule::one_f_one_b;
  ContextKind context = ContextKind::ring;
  std::vector<int> layers{};  ///< of each stage, chunk by chunk; empty: evenly split
  int tower_stages = 0;       ///< first stages, with towers or the encoder only; 0: on the first
  bool even_ends = false;     ///< an even split counts embedding and head as a layer each
  bool tp_overlap = false;    ///< tensor-parallel collectives overlap with their products
  bool dp_overlap = false;    ///< gradients are reduced during the backward pass
  bool pp_overlap = false;    ///< sends and receives overlap with the next chunk
  bool ep_overlap = false;    ///< all-to-all overlaps with another micro-batch's computation
  bool offload_optimizer = false;
  bool offload_activations = false;
  bool offload_weights = false;
  /// Classes of replicas, dp in total; empty: one class on type 0 with equal shares of the batch.
  std::vector<PipelineClass> classes{};

  [[nodiscard]] int gpus() const { return tp * pp * dp * cp; }
  /// Whether any of the operations above is recomputed.
  [[nodiscard]] bool recomputes_operations() const {
    return recompute_norms || recompute_act || recompute_mla;
  }
  /// Ranks that sum the gradients of dense weights.
  [[nodiscard]] int replicas() const { return dp * cp; }
  /// Ranks that share one copy of sharded state (zero > 0).
  [[nodiscard]] int shards() const { return shard_group > 0 ? shard_group : replicas(); }
  /// Copies of the sharded state (zero > 0). Gradients are summed over the copies.
  [[nodiscard]] int copies() const { return std::max(1, replicas() / shards()); }
  /// Ranks that share one copy of the sharded state of experts: as many copies as of the other
  /// state, if there are enough ranks (Megatron-LM's distributed optimizer instances).
  [[nodiscard]] int expert_shards() const { return std::max(1, expert_replicas() / copies()); }
  /// Ranks that hold the same experts and sum their gradients.
  [[nodiscard]] int expert_replicas() const { return tp * dp * cp / (ep * etp); }
  bool operator==(const Strategy&) const = default;
};

/// Micro-batches of a replica in a step: batch / (dp x micro_batch).
[[nodiscard]] inline int micro_batches(int batch, const Strategy& s) {
  return batch / (s.dp * s.micro_batch);
}

/// The classes of a strategy; without classes, one class of all its replicas.
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

/// Whether every replica has the same number of micro-batches.
[[nodiscard]] bool has_equal_batches(const Strategy& strategy);

/// Number of GPUs that the strategy uses of each of `types` types.
[[nodiscard]] std::vector<int> gpus_used(const Strategy& strategy, std::size_t types);

/// The dimensions that a text gives.
struct GivenDimensions {
  bool pp = false, dp = false;
};

/// Reads "tp=8,pp=8,zero=1,recompute=full,sequence_parallel=true" over `strategy`. Keys are those
/// of a strategy in a config. Layers are written as in parse_counts, and determine pp if it is
/// omitted. Classes of replicas are joined by '+': "stages=A*2/B*2+B*4,replicas=4+2,batches=12+6"
/// gives the types of their stages, their number of replicas and the micro-batches of each (both 0
/// if omitted). Throws InputError at `where` with every problem.
GivenDimensions parse_strategy(std::string_view text, const std::string& where, Strategy& strategy);

/// "tp=8,pp=8,dp=64": the settings that differ from those of one GPU, in the same form.
[[nodiscard]] std::string to_text(const Strategy& strategy);

}  // namespace railyard::placement
