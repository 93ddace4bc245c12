#pragma once

#include <memory>
#include <vector>

#include "placement/cost/closed_form.hpp"
#include "placement/model/model.hpp"
#include "placement/model/processor.hpp"
#include "placement/serving/step/deployment.hpp"
#include "placement/serving/step/step_efficiency.hpp"

namespace railyard::placement::serving {

/// Work of one step of a replica, summed over the sequences of one copy of attention.
struct StepBatch {
  double decodes = 0;         ///< sequences that get their next token
  double decode_context = 0;  ///< tokens in the KV cache to which they attend, summed
  double prompts = 0;         ///< number of prompts of which a part is computed
  double prompt_tokens = 0;   ///< tokens of those parts
  double prompt_pairs = 0;    ///< pairs (new token, token it attends to), summed over prompts
  double first_tokens = 0;    ///< prompts that end in this step and produce their first token
  double width = 1;           ///< tokens computed per decode; above 1 if drafts are verified
  /// Tokens per copy of attention, mean over the copies of the replica, which step together and
  /// share the experts. 0: each copy has tokens().
  double mean_tokens = 0;

  [[nodiscard]] double tokens() const { return decodes * width + prompt_tokens; }
  [[nodiscard]] double mean() const { return mean_tokens > 0 ? mean_tokens : tokens(); }
  [[nodiscard]] double outputs() const { return decodes * width + first_tokens; }
  /// Sequences that get a token in this step.
  [[nodiscard]] double sequences() const { return decodes + first_tokens; }
  StepBatch& operator+=(const StepBatch& other);
  /// Multiplies all members except the width.
  StepBatch& scale(double times);
};

/// A step with the next token of `sequences` sequences with `context` tokens each.
[[nodiscard]] StepBatch decode_batch(double sequences, double context);
/// A step with tokens [done, done + tokens) of a prompt. `last`: it produces the first token.
[[nodiscard]] StepBatch prompt_part(double done, double tokens, bool last);

/// Seconds of a step by cause.
struct StepTime {
  double host = 0;           ///< between steps, launches that the GPU waits for, sampling
  double linear = 0;         ///< products with dense weights, head, small kernels
  double experts = 0;        ///< routed experts and routing
  double attention = 0;      ///< over the KV cache and within prompts
  double communication = 0;  ///< tensor and expert parallelism, messages between stages

  StepTime& add(const StepTime& other, double times);
  [[nodiscard]] double total() const { return host + linear + experts + attention + communication; }
};

/// Time of an engine's step on one replica.
///
///   step    = host + layers + head;  host = host_us + sequence_us · outputs
///   layers  = sum over layers of products + attention + experts + 2 all-reduces + layer_us
///   product = product_time of m tokens, with fitted shares of bandwidth and peak
///   attention = kernel + max(KV bytes / (kv · bandwidth), operations / peak)
///             + 4 · pairs · heads · d / (rate of attention of prompts)
///   experts: a rank reads those of its E/ep experts that the M tokens of all copies choose;
///            popular ones are chosen more often (`skew`); the most loaded rank has `imbalance`
///            times the mean tokens
///   all-reduce of s bytes over n ranks of a node: start + min((n-1)·s, 2(n-1)/n·s) / rate; above
///            8 MiB, if the NVSwitch reduces, (n+1)/n·s is sent if that is less
///
/// Example: one sequence of 2,000 tokens on one H100, Llama 3 8B in bf16. 15.0 GB of weights
/// (without the embedding table) at 0.9 of 3,350 GB/s take 5.0 ms. 2,000 · 131,072 B of KV take
/// 0.1 ms.
///
/// Data-parallel attention sends tokens to their experts and back. Inside a node this takes
///   2 · (reduce_us + (n - 2) · reduce_rank_us) + tokens · min(k, n - 1) · hidden · bytes / rate
/// with bytes per value of dispatch (nvfp4 0.5625, 8 bits 1.03, else 2) plus combine (2). Between
/// nodes it takes two all-to-alls: dispatch in the experts' format, combine in bf16. A rank sends
///   tokens · copies · hidden · bytes
/// or receives `imbalance` times the mean, if that is more. Up to 256 tokens there is one copy per
/// chosen expert (DeepEP's low-latency kernels), above one copy per node. The fitted imbalance
/// applies to 8 ranks; for other numbers and for redundant experts it is scaled
/// (expert_balance.hpp).
///
/// With pp stages a batch is cut into pp parts that follow each other through the stages. A token
/// takes the time of one part over all layers, and pp - 1 messages.
///
/// With speculation the result is the time per token and sequence. One pass over k + 1 tokens per
/// sequence and k passes of the draft produce n = tokens_per_step() tokens:
///   step = prompts' share + (pass of the decodes + k · draft) / n
/// Without a draft model a drafted token costs one layer of the model (heads such as EAGLE's or
/// DeepSeek's MTP).
///
/// Immutable after construction; may be shared by threads.
class StepModel {
 public:
  struct Options {
    const Model& model;
    const Processor& gpu;
    NodeFabric fabric{};  ///< links of the GPU's node, for collectives
    Deployment deployment{};
    StepEfficiency efficiency{};
    const Model* draft = nullptr;  ///< model that drafts; copied
    /// All-to-alls and all-reduces between nodes. Null: ClosedForm.
    std::shared_ptr<const CommunicationModel> between_nodes{};
    /// Above 0: keep a table of the times of steps with up to this many tokens, to speed up many
    /// calls. Above 512 tokens the table is linear between multiples of 128.
    int tabulated_tokens = 0;
  };
  explicit StepModel(const Options& options);

  /// Seconds until each decoding sequence has one more token and the parts of prompts are done.
  [[nodiscard]] StepTime time(const StepBatch& batch) const;

  /// The server in front of the engine. Its time is part of the TTFT.
  [[nodiscard]] Frontend frontend() const { return efficiency_.frontend(); }
  [[nodiscard]] const Deployment& deployment() const { return deployment_; }

 private:
  [[nodiscard]] StepTime pass(const StepBatch& batch) const;
  [[nodiscard]] StepTime draft_passes(const StepBatch& decodes) const;
  /// Seconds that only depend on the number of tokens: of all layers, and of the head.
  struct ByTokens {
    double linear = 0, experts = 0, reduction = 0, exchange = 0, head = 0;
  };
  [[nodiscard]] ByTokens compute(double tokens) const;
  [[nodiscard]] ByTokens by_tokens(double tokens) const;
  /// by_tokens(outputs).head. Without a table the layers are not computed.
  [[nodiscard]] double head(double outputs) const;
  [[nodiscard]] double products(double tokens) const;
  [[nodiscard]] double expert_seconds(double tokens) const;
  [[nodiscard]] double reduction_seconds(double tokens) const;
  [[nodiscard]] double exchange_seconds(double tokens) const;
  [[nodiscard]] bool spans_nodes() const;
  [[nodiscard]] double all_reduce(double ranks, double bytes) const;
  [[nodiscard]] double attention_seconds(const StepBatch& batch) const;
  [[nodiscard]] double head_seconds(double outputs) const;
  [[nodiscard]] Arithmetic arithmetic(const Processor& gpu, NumberFormat format) const;
  [[nodiscard]] double product(NumberFormat format, double m, double n, double k,
                               double batch = 1) const;

  Model model_;
  Processor gpu_;      ///< with the efficiencies of serving
  Processor experts_;  ///< with the efficiencies of grouped products
  Processor narrow_;   ///< with the efficiencies of 4-bit weights
  NodeFabric fabric_;
  Deployment deployment_;
  StepEfficiency efficiency_;
  std::shared_ptr<const CommunicationModel> between_nodes_;
  /// By popularity: log of the probability that a token does not choose an expert.
  std::vector<double> unchosen_{};
  double imbalance_ = 1;  ///< tokens of the fullest expert rank / mean
  std::shared_ptr<const StepModel> draft_{};
  std::vector<ByTokens> small_{}, large_{};  ///< tables up to the largest graph, and above it
};

}  // namespace railyard::placement::serving
