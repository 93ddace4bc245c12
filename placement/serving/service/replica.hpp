#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <queue>
#include <vector>

#include "placement/serving/service/prefix_cache.hpp"
#include "placement/serving/service/request.hpp"
#include "placement/serving/step/serving_memory.hpp"
#include "placement/serving/step/step_model.hpp"

namespace railyard::placement::serving {

/// Histogram of durations with classes of 1 % width, for example the token gaps of a million
/// requests.
class DurationCounts {
 public:
  void add(double seconds, double count);
  /// The q-quantile in seconds, within 1 %. 0 if empty.
  [[nodiscard]] double quantile(double q) const;
  DurationCounts& operator+=(const DurationCounts& other);

 private:
  std::vector<double> counts_{};
};

/// Scheduling options of a replica.
struct ReplicaOptions {
  int token_budget = 8192;    ///< tokens per step
  int max_sequences = 256;    ///< most running sequences
  int block_tokens = 16;      ///< tokens of a KV cache block
  std::int64_t blocks = 0;    ///< blocks in the KV cache
  bool mixes_prompts = true;  ///< a step may contain parts of prompts and decodes (chunked prefill)
  bool cuts_prompts = true;   ///< a step may compute a part of a prompt (chunked prefill)
  bool prefill_only = false;  ///< a request leaves after its first token (prefill pool)
  /// For requests that arrive with the KV cache of their prompt. True: the first token is sent at
  /// admission (SGLang). False: it is sent with the second one, at the end of the first step here
  /// (first_token_on_admission in deployment.hpp).
  bool first_on_admission = false;
  /// The batch of a step is chosen during the step before, so a request that arrives during a step
  /// misses the next one.
  bool chooses_ahead = false;
  PromptHold hold{};
  /// Blocks of preempted sequences that fit into host memory; 0: preempted sequences are
  /// recomputed.
  std::int64_t host_blocks = 0;
  double swap_seconds = 0;  ///< time to copy a block between GPU and host, one direction
};

/// Scheduling options of an engine. vLLM and SGLang cut long prompts, TensorRT-LLM does not by
/// default. SGLang runs prompts in separate steps, and chooses a batch during the step before.
[[nodiscard]] ReplicaOptions replica_options(const Deployment& deployment,
                                             const ServingMemory& memory);

/// One engine with continuous batching, scheduled as in vLLM. A step computes the next token of
/// each running sequence and fills the token budget with parts of prompts, first come first served.
/// If no KV cache block is free, the sequence admitted last is preempted: its blocks are freed, it
/// moves to the head of the queue, and its prompt and its answer so far are computed again. If host
/// memory has room (`host_blocks`), a decoding sequence is copied there instead, and copied back
/// when blocks for it and its next token are free. The next step waits for these copies (vLLM's
/// swapping). Without mixes_prompts a step has either prompts or decodes, prompts first (SGLang's
/// default).
///
/// A step takes O(1) time plus O(1) per request that it admits, finishes or preempts. Decodes are
/// counted, not visited one by one.
class Replica {
 public:
  /// Time of a step in seconds.
  using StepSeconds = std::function<double(const StepBatch&)>;
  Replica(const ReplicaOptions& options, StepSeconds seconds)
      : options_(options), seconds_(std::move(seconds)), phases_(phase_count()) {}

  /// True if prompt and answer fit into an empty KV cache.
  [[nodiscard]] bool can_hold(const Request& request) const;
  /// Adds an arriving request. can_hold(request) must be true. `request` and `served` must live
  /// until the request is served.
  void add(const Request& request, Served& served);
  /// Adds a request that arrives from another replica with its first token and its prompt's KV
  /// cache.
  void add_decode(const Request& request, Served& served);
  /// Number of leading prompt blocks that are cached in this replica.
  [[nodiscard]] std::size_t cached_blocks(const Request& request) const {
    return cache_.hits(request.prefix);
  }
  /// A step starts in two parts, because copies of attention step together. choose_batch() selects
  /// the batch and returns false if nothing can run. end_of_step() then returns the end of the step
  /// in seconds, for a mean number of tokens over the copies. A token sent at `now` reaches the
  /// client at `seen`.
  [[nodiscard]] bool choose_batch(double now, double seen);
  [[nodiscard]] double end_of_step(double now, double mean_tokens);
  /// Ends the step. Calls `finished` with each request that got its last token, in the order of
  /// admission. Clients receive the step's tokens at `seen`.
  void end_step(double now, double seen, const std::function<void(Served&)>& finished);

  [[nodiscard]] bool is_idle() const { return waiting_.empty() && admitted_.empty(); }
  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }
  [[nodiscard]] std::size_t running() const { return admitted_.size(); }
  [[nodiscard]] std::int64_t used_blocks() const { return used_; }
  /// Whether a request can be reserved in addition to `reserved` other requests that will arrive
  /// with their KV caches and use `blocks`.
  [[nodiscard]] bool can_reserve(const Request& request, std::size_t reserved,
                                 std::int64_t blocks) const;
  /// Blocks to reserve for a request whose prompt another replica computes.
  [[nodiscard]] std::int64_t reservation(const Request& request) const;
  /// The batch of the step that started last.
  [[nodiscard]] const StepBatch& batch() const { return batch_; }
  [[nodiscard]] const DurationCounts& token_gaps() const { return gaps_; }
  [[nodiscard]] std::int64_t preemptions() const { return preemptions_; }
  /// Number of preemptions that copied the KV cache to the host.
  [[nodiscard]] std::int64_t swaps() const { return swaps_; }

 private:
  /// A request and its state in the engine.
  struct Sequence {
    Served* served = nullptr;
    const Request* request = nullptr;
    std::int64_t generated = 0;  ///< answer tokens at the end of its last prompt computation
    std::int64_t prompt = 0;     ///< tokens to compute: input and generated tokens
    std::int64_t computed = 0;   ///< those already computed
    /// The replica's count of decode steps when this one began to decode.
    std::int64_t decode_start = -1;
    std::int64_t blocks = 0;       ///< its own blocks, while its prompt is computed
    std::int64_t shared = 0;       ///< blocks that other sequences may also use
    std::size_t pinned = 0;        ///< number of leading blocks of request->prefix that it pins
    bool transferred = false;      ///< its KV cache comes from another replica or from the host
    std::int64_t host_blocks = 0;  ///< blocks that it uses in host memory
    double last_token = 0;         ///< time of the last token before a preemption
  };
  struct Ending {
    std::int64_t at_step;
    std::uint64_t admission;
    auto operator<=>(const Ending&) const = default;
  };

  [[nodiscard]] std::size_t phase_count() const {
    return static_cast<std::size_t>(options_.block_tokens);
  }
  [[nodiscard]] std::int64_t blocks_of(std::int64_t tokens) const {
    return (tokens + options_.block_tokens - 1) / options_.block_tokens;
  }
  /// Blocks that are free or hold idle prefixes.
  [[nodiscard]] std::int64_t free_blocks() const { return options_.blocks - used_; }
  [[nodiscard]] std::int64_t prefix_blocks() const { return blocks_of(kPrefixTokens); }
  /// Allocates blocks. Evicts idle prefixes if necessary.
  void take_blocks(std::int64_t count);
  /// Looks up the cached prefix of the prompt and pins it.
  void use_cache(Sequence& s);
  void leave_cache(const Sequence& s);
  /// Keeps the prompt's blocks in the cache for later requests.
  void fill_cache(Sequence& s);
  /// Admits sequences that arrive with their KV cache, as long as blocks are free.
  void admit_transferred(double now, double seen);
  /// The sequence needs a new block in decode steps with this remainder modulo block_tokens.
  [[nodiscard]] std::size_t phase_of(const Sequence& s) const;
  [[nodiscard]] std::int64_t held_tokens(const Sequence& s) const;
  [[nodiscard]] bool make_room_for_decodes();
  /// Copies a preempted sequence of `held` tokens to host memory. False if there is no room.
  [[nodiscard]] bool swap_out(Sequence& s, std::int64_t held);
  void preempt_last();
  void add_decodes();
  void add_prompts(double now, bool may_admit);
  [[nodiscard]] bool add_part(Sequence& s, std::int64_t budget);
  /// Removes a sequence from the counts of decodes and blocks.
  void release(const Sequence& s);
  /// True if new prompts have to wait for a later step (PromptHold).
  [[nodiscard]] bool holds_prompts();
  void begin_decoding(std::uint64_t admission, double now, double seen,
                      const std::function<void(Served&)>& finished);
  void start_decoding(std::uint64_t admission);
  void end_decodes(double now, double seen, const std::function<void(Served&)>& finished);

  ReplicaOptions options_;
  StepSeconds seconds_;
  std::deque<Sequence> waiting_{};
  /// Waiting requests that this step may admit; if it chooses ahead, those before the last step.
  std::size_t known_ = 0;
  int held_ = 0;  ///< decode steps for which new prompts have been held back
  std::map<std::uint64_t, Sequence> admitted_{};  ///< by order of admission
  /// Admitted sequences with unfinished prompts, in order.
  std::vector<std::uint64_t> prompting_{};
  std::priority_queue<Ending, std::vector<Ending>, std::greater<>> endings_{};
  std::vector<std::int64_t> phases_;  ///< decoding sequences by phase_of()
  /// Prompt parts of this step: admission number and tokens.
  std::vector<std::pair<std::uint64_t, std::int64_t>> parts_{};
  PrefixCache cache_{};
  std::vector<double> fresh_{};    ///< times of first tokens sent since the last decode step
  std::vector<Served*> silent_{};  ///< new decoding sequences that have not sent a token yet
  std::int64_t decode_steps_ = 0, decoding_ = 0, context_ = 0, used_ = 0, preemptions_ = 0;
  std::int64_t swaps_ = 0, host_used_ = 0;
  std::int64_t moved_ = 0;  ///< blocks to copy to or from the host before the next step
  std::uint64_t admissions_ = 0;
  StepBatch batch_{};
  double last_decode_end_ = 0;
  DurationCounts gaps_{};
};

}  // namespace railyard::placement::serving
