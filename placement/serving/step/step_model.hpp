#pragma once

#include <memory>
#include <vector>

#include "placement/cost/closed_form.hpp"
#include "placement/model/model.hpp"
#include "placement/model/processor.hpp"
#include "placement/serving/step/deployment.hpp"
#include "placement/serving/step/step_efficiency.hpp"

namespace railyard::placement::serving {

/// Work of one step of a replica. Sums are over the sequences of one copy of attention.
struct StepBatch {
  double decodes = 0;         ///< sequences that get their next token
  double decode_context = 0;  ///< tokens in the KV cache that they attend to, summed
  double prompts = 0;         ///< prompts of which a part is processed
  double prompt_tokens = 0;   ///< tokens of those parts
  double prompt_pairs = 0;    ///< pairs (new token, token that it sees), summed over prompts
  double first_tokens = 0;    ///< prompts that end in this step and give their first token
  double width = 1;           ///< tokens that a decode computes; above 1 where drafts are verified
  /// Tokens of a copy of attention, mean over the copies of the replica, which step together and
  /// share the experts; 0: each has tokens().
  double mean_tokens = 0;

  [[nodiscard]] double tokens() const { return decodes * width + prompt_tokens; }
  [[nodiscard]] double mean() const { return mean_tokens > 0 ? mean_tokens : tokens(); }
  [[nodiscard]] double outputs() const { return decodes * width + first_tokens; }
  /// Sequences that get a token.
  [[nodiscard]] double sequences() const { return decodes + first_tokens; }
  StepBatch& operator+=(const StepBatch& other);
  /// Everything but the width.
  StepBatch& scale(double times);
};

/// The next token of `sequences` sequences of `context` tokens each.
[[nodiscard]] StepBatch decode_batch(double sequences, double context);
/// Tokens [done, done + tokens) of a prompt; the first token comes out if `last`.
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
///             + 4 · pairs · heads · d / (rate of prompts' attention)
///   experts: of a rank's E/ep experts those that M tokens of all copies choose are read; popular
///            ones are chosen more often (`skew`); the most loaded rank has `imbalance` times the
///            mean tokens
///   all-reduce of s bytes over n ranks of a node: start + min((n-1)·s, 2(n-1)/n·s) / rate; above
///            8 MiB, where the NVSwitch reduces, (n+1)/n·s is sent if that is less
///
/// One sequence of 2,000 tokens on one H100, Llama 3 8B in bf16: 15.0 GB of weights (the embedding
/// is looked up) at 0.9 of 3,350 GB/s are 5.0 ms; 2,000 · 131,072 B of KV are 0.1 ms.
///
/// Inside a node tokens of data-parallel attention go to their experts and back in
///   2 · (reduce_us + (n - 2) · reduce_rank_us) + tokens · min(k, n - 1) · hidden · bytes / rate,
/// bytes of a value: dispatch (nvfp4 0.5625, 8 bits 1.03, else 2) and combine (2).
/// Between nodes tokens of data-parallel attention go to their experts and back, dispatch in the
/// experts' format and combine in bf16, by two all-to-alls. A rank sends
///   tokens · copies · hidden · bytes,  or receives `imbalance` times the mean, where that is more
/// copies: one per chosen expert up to 256 tokens (DeepEP's low-latency kernels), else one per
/// node. The imbalance is the fitted one for 8 ranks; for others, and with redundant experts, it is
/// scaled as expert_balance.hpp says.
///
/// With pp stages a batch is cut into pp parts that follow each other through the stages: the time
/// of a token is that of one part over all layers, and pp - 1 messages.
///
/// With speculation the time is that of one token per sequence: n = tokens_per_step() tokens come
/// out of one pass over k + 1 tokens per sequence and k passes of the draft, so
///   step = prompts' share + (pass of the decodes + k · draft) / n.
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
    const Model* draft = nullptr;  ///< of speculation; copied
    /// All-to-alls and all-reduces between nodes; null: ClosedForm.
    std::shared_ptr<const CommunicationModel> between_nodes{};
    /// Above 0: keep a table of steps of up to so many tokens, for many calls; above 512 tokens it
    /// is linear between multiples of 128.
    int tabulated_tokens = 0;
  };
  explicit StepModel(const Options& options);

  /// Seconds until each decoding sequence has one more token, and the prompts' parts are done.
  [[nodiscard]] StepTime time(const StepBatch& batch) const;

  /// What passes requests to the engine; part of their TTFT.
  [[nodiscard]] Frontend frontend() const { return efficiency_.frontend(); }
  [[nodiscard]] const Deployment& deployment() const { return deployment_; }

 private:
  [[nodiscard]] StepTime pass(const StepBatch& batch) const;
  [[nodiscard]] StepTime draft_passes(const StepBatch& decodes) const;
  /// Seconds that depend on the number of tokens alone: of all layers, and of the head.
  struct ByTokens {
    double linear = 0, experts = 0, reduction = 0, exchange = 0, head = 0;
  };
  [[nodiscard]] ByTokens compute(double tokens) const;
  [[nodiscard]] ByTokens by_tokens(double tokens) const;
  /// by_tokens(outputs).head, without the layers where there is no table.
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
  Processor gpu_;      ///< with the shares of serving
  Processor experts_;  ///< with those of grouped products
  Processor narrow_;   ///< with those of 4-bit weights
  NodeFabric fabric_;
  Deployment deployment_;
  StepEfficiency efficiency_;
  std::shared_ptr<const CommunicationModel> between_nodes_;
  std::vector<double> unchosen_{};  ///< by popularity: log of a token's chance to pass an expert by
  double imbalance_ = 1;            ///< tokens of the fullest expert rank over the mean
  std::shared_ptr<const StepModel> draft_{};
  std::vector<ByTokens> small_{}, large_{};  ///< up to the largest graph, and above
};

}  // namespace railyard::placement::serving
