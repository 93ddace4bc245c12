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

/// Counts of durations, in classes of 1 % each: tokens of a million requests.
class DurationCounts {
 public:
  void add(double seconds, double count);
  /// The q-quantile, within 1 %; 0 of nothing.
  [[nodiscard]] double quantile(double q) const;
  DurationCounts& operator+=(const DurationCounts& other);

 private:
  std::vector<double> counts_{};
};

/// Scheduling options of a replica.
struct ReplicaOptions {
  int token_budget = 8192;    ///< of a step
  int max_sequences = 256;    ///< running
  int block_tokens = 16;      ///< of a block of the KV cache
  std::int64_t blocks = 0;    ///< of the KV cache
  bool mixes_prompts = true;  ///< parts of prompts run beside decodes (chunked prefill)
  bool cuts_prompts = true;   ///< a step may compute a part of a prompt (chunked prefill)
  bool prefill_only = false;  ///< a request leaves with its first token (disaggregated pools)
  /// A request that comes with its prompt's KV cache sends its first token when it is admitted
  /// (SGLang), else with the next one, at the end of its first step here (first_token_on_admission
  /// in deployment.hpp).
  bool first_on_admission = false;
  /// A step's batch is chosen while the step before runs: a request that arrives during a step
  /// misses the next.
  bool chooses_ahead = false;
  PromptHold hold{};
  /// Blocks of preempted sequences that the host's memory holds; 0: they are computed again.
  std::int64_t host_blocks = 0;
  double swap_seconds = 0;  ///< of a block between GPU and host, one way
};

/// How an engine schedules: vLLM and SGLang cut long prompts, TensorRT-LLM does not by default;
/// SGLang runs prompts in steps of their own, and chooses a step's batch while the step before
/// runs.
[[nodiscard]] ReplicaOptions replica_options(const Deployment& deployment,
                                             const ServingMemory& memory);

/// One engine with continuous batching, as vLLM schedules: a step gives each running sequence its
/// next token, and fills the token budget with parts of prompts, first come first served. Where a
/// block of the KV cache is missing, the sequence admitted last is preempted: its blocks are freed,
/// it goes to the head of the queue, and computes its prompt and its answer so far again. With room
/// in the host's memory (`host_blocks`) a decoding sequence is copied there instead, and back when
/// its blocks and the next one are free. A step begins when the copies are done (vLLM's swapping).
/// Without mixes_prompts a step has either prompts or decodes, prompts first (SGLang's default).
///
/// A step costs O(1) and the requests that it admits, finishes or preempts: decodes are counted,
/// not walked.
class Replica {
 public:
  /// Seconds of a step.
  using StepSeconds = std::function<double(const StepBatch&)>;
  Replica(const ReplicaOptions& options, StepSeconds seconds)
      : options_(options), seconds_(std::move(seconds)), phases_(phase_count()) {}

  /// Its prompt and answer fit into an empty cache.
  [[nodiscard]] bool can_hold(const Request& request) const;
  /// A request arrives that the replica can hold; `request` and `served` must live until it is
  /// served.
  void add(const Request& request, Served& served);
  /// A request arrives with the KV cache of its prompt and its first token, from another replica.
  void add_decode(const Request& request, Served& served);
  /// Leading blocks of a prompt that are cached here.
  [[nodiscard]] std::size_t cached_blocks(const Request& request) const {
    return cache_.hits(request.prefix);
  }
  /// Starts a step in two parts, because copies of attention step together: chooses the step's
  /// batch, false where nothing can run; then its end, where the copies have so many tokens on
  /// average. Clients see what is sent at `now` at `seen`.
  [[nodiscard]] bool choose_batch(double now, double seen);
  [[nodiscard]] double end_of_step(double now, double mean_tokens);
  /// Ends the step; calls `finished` with each request that got its last token, in the order of
  /// admission. Clients see the step's tokens at `seen`.
  void end_step(double now, double seen, const std::function<void(Served&)>& finished);

  [[nodiscard]] bool is_idle() const { return waiting_.empty() && admitted_.empty(); }
  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }
  [[nodiscard]] std::size_t running() const { return admitted_.size(); }
  [[nodiscard]] std::int64_t used_blocks() const { return used_; }
  /// Room for another request beside `reserved` others that will come with their KV caches, which
  /// take `blocks`.
  [[nodiscard]] bool can_reserve(const Request& request, std::size_t reserved,
                                 std::int64_t blocks) const;
  /// Blocks that are reserved for a request whose prompt another replica computes.
  [[nodiscard]] std::int64_t reservation(const Request& request) const;
  /// What the step that was started last computes.
  [[nodiscard]] const StepBatch& batch() const { return batch_; }
  [[nodiscard]] const DurationCounts& token_gaps() const { return gaps_; }
  [[nodiscard]] std::int64_t preemptions() const { return preemptions_; }
  /// Preemptions that copied the KV cache to the host.
  [[nodiscard]] std::int64_t swaps() const { return swaps_; }

 private:
  /// A request and its place in the engine.
  struct Sequence {
    Served* served = nullptr;
    const Request* request = nullptr;
    std::int64_t generated = 0;      ///< tokens of the answer up to its last prompt's end
    std::int64_t prompt = 0;         ///< tokens to compute: input and what was generated
    std::int64_t computed = 0;       ///< of them
    std::int64_t decode_start = -1;  ///< decode steps of the replica when it began to decode
    std::int64_t blocks = 0;         ///< of its own, while its prompt runs
    std::int64_t shared = 0;         ///< blocks that other sequences may use too
    std::size_t pinned = 0;          ///< leading blocks of request->prefix that it pins
    bool transferred = false;        ///< its KV cache comes from elsewhere: a replica or the host
    std::int64_t host_blocks = 0;    ///< of the host's memory that it fills
    double last_token = 0;           ///< time of the last token before a preemption
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
  /// Blocks that are free, or hold prefixes that no sequence uses.
  [[nodiscard]] std::int64_t free_blocks() const { return options_.blocks - used_; }
  [[nodiscard]] std::int64_t prefix_blocks() const { return blocks_of(kPrefixTokens); }
  /// Takes free blocks; idle prefixes are evicted for them.
  void take_blocks(std::int64_t count);
  /// Finds the prompt's cached prefix and pins it.
  void use_cache(Sequence& s);
  void leave_cache(const Sequence& s);
  /// The prompt's blocks stay for later requests.
  void fill_cache(Sequence& s);
  /// Admits sequences that bring their prompt's KV cache, as long as blocks are free.
  void admit_transferred(double now, double seen);
  /// The remainder of decode steps in which a sequence needs a block.
  [[nodiscard]] std::size_t phase_of(const Sequence& s) const;
  [[nodiscard]] std::int64_t held_tokens(const Sequence& s) const;
  [[nodiscard]] bool make_room_for_decodes();
  /// Keeps a preempted sequence of `held` tokens in the host's memory; false where it has no room.
  [[nodiscard]] bool swap_out(Sequence& s, std::int64_t held);
  void preempt_last();
  void add_decodes();
  void add_prompts(double now, bool may_admit);
  [[nodiscard]] bool add_part(Sequence& s, std::int64_t budget);
  /// Takes a sequence out of the counts of decodes and blocks.
  void release(const Sequence& s);
  /// New prompts wait for the next step or longer.
  [[nodiscard]] bool holds_prompts();
  void begin_decoding(std::uint64_t admission, double now, double seen,
                      const std::function<void(Served&)>& finished);
  void start_decoding(std::uint64_t admission);
  void end_decodes(double now, double seen, const std::function<void(Served&)>& finished);

  ReplicaOptions options_;
  StepSeconds seconds_;
  std::deque<Sequence> waiting_{};
  std::size_t known_ = 0;  ///< of those: arrived before the step before, where it chooses ahead
  int held_ = 0;           ///< decode steps that new prompts were held back
  std::map<std::uint64_t, Sequence> admitted_{};  ///< by admission
  std::vector<std::uint64_t> prompting_{};        ///< admitted, prompt not finished; in order
  std::priority_queue<Ending, std::vector<Ending>, std::greater<>> endings_{};
  std::vector<std::int64_t> phases_;                             ///< decoding sequences by phase_of
  std::vector<std::pair<std::uint64_t, std::int64_t>> parts_{};  ///< of this step: tokens
  PrefixCache cache_{};
  std::vector<double> fresh_{};    ///< times of first tokens since the last decode step
  std::vector<Served*> silent_{};  ///< decode for the first time, and sent no token yet
  std::int64_t decode_steps_ = 0, decoding_ = 0, context_ = 0, used_ = 0, preemptions_ = 0;
  std::int64_t swaps_ = 0, host_used_ = 0;
  std::int64_t moved_ = 0;  ///< blocks to and from the host before the next step
  std::uint64_t admissions_ = 0;
  StepBatch batch_{};
  double last_decode_end_ = 0;
  DurationCounts gaps_{};
};

}  // namespace railyard::placement::serving
