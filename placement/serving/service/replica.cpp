#include "placement/serving/service/replica.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace railyard::placement::serving {
namespace {

// Durations are counted in classes whose width grows by 1 %, starting at 1 us.
constexpr double kLeast = 1e-6, kGrowth = 1.01;

/// Answer tokens for which memory is reserved before another replica computes the prompt (SGLang:
/// --num-reserved-decode-tokens).
constexpr int kReservedTokens = 512;

}  // namespace

void DurationCounts::add(double seconds, double count) {
  if (count <= 0) return;
  const double at = std::log(std::max(seconds, kLeast) / kLeast) / std::log(kGrowth);
  const auto i = static_cast<std::size_t>(at);
  if (i >= counts_.size()) counts_.resize(i + 1, 0.0);
  counts_[i] += count;
}

double DurationCounts::quantile(double q) const {
  double all = 0;
  for (const double n : counts_) all += n;
  double below = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i)
    if ((below += counts_[i]) >= q * all && below > 0)
      return kLeast * std::pow(kGrowth, static_cast<double>(i) + 0.5);
  return 0;
}

DurationCounts& DurationCounts::operator+=(const DurationCounts& other) {
  if (counts_.size() < other.counts_.size()) counts_.resize(other.counts_.size(), 0.0);
  for (std::size_t i = 0; i < other.counts_.size(); ++i) counts_[i] += other.counts_[i];
  return *this;
}

ReplicaOptions replica_options(const Deployment& d, const ServingMemory& memory) {
  const double block = memory.kv_token_bytes * d.block_tokens;
  const double windows = memory.kv_window_bytes * d.max_sequences;
  return {.token_budget = d.token_budget,
          .max_sequences = d.max_sequences,
          .block_tokens = d.block_tokens,
          .blocks = static_cast<std::int64_t>((memory.kv_pool - windows) / block),
          .mixes_prompts = mixes_prompts(d.engine),
          .cuts_prompts = cuts_prompts(d.engine),
          .first_on_admission = first_token_on_admission(d.engine),
          .chooses_ahead = chooses_ahead(d.engine),
          .hold = d.hold,
          .host_blocks = static_cast<std::int64_t>(d.swap_bytes / block),
          .swap_seconds = memory.host_bandwidth > 0 ? block / memory.host_bandwidth : 0};
}

bool Replica::can_hold(const Request& request) const {
  const int answer = options_.prefill_only ? 1 : request.output;
  return blocks_of(request.input + answer) <= options_.blocks;
}

void Replica::add(const Request& request, Served& served) {
  waiting_.push_back({.served = &served, .request = &request, .prompt = request.input});
}

void Replica::add_decode(const Request& request, Served& served) {
  waiting_.push_back({.served = &served,
                      .request = &request,
                      .generated = 1,
                      .prompt = request.input,
                      .computed = request.input,
                      .transferred = true,
                      .last_token = served.first_token});
}

void Replica::take_blocks(std::int64_t count) {
  used_ += count;
  while (used_ + cache_.idle() * prefix_blocks() > options_.blocks) cache_.evict();
}

void Replica::use_cache(Sequence& s) {
  const Request& request = *s.request;
  // At least one token of the prompt is computed, because it produces the first answer token.
  const auto most = static_cast<std::size_t>((request.input - 1) / kPrefixTokens);
  s.pinned = std::min(cache_.hits(request.prefix), most);
  used_ += cache_.pin(PrefixCache::Blocks(request.prefix).first(s.pinned)) * prefix_blocks();
  const std::int64_t stated = std::min(request.cached, request.input - 1) / options_.block_tokens;
  const auto pinned = static_cast<std::int64_t>(s.pinned);
  s.shared = std::max(stated, pinned * prefix_blocks());
  s.computed = std::max(stated * options_.block_tokens, pinned * kPrefixTokens);
}

void Replica::leave_cache(const Sequence& s) {
  used_ -= cache_.unpin(PrefixCache::Blocks(s.request->prefix).first(s.pinned)) * prefix_blocks();
}

void Replica::fill_cache(Sequence& s) {
  const std::vector<std::uint32_t>& prefix = s.request->prefix;
  const auto whole = std::min(prefix.size(), static_cast<std::size_t>(s.request->input) /
                                                 static_cast<std::size_t>(kPrefixTokens));
  // If another sequence computed a block in the meantime, this sequence keeps its own copy of that
  // block and of all later ones.
  while (s.pinned < whole && cache_.insert(prefix[s.pinned])) {
    ++s.pinned;
    s.shared += prefix_blocks();
    s.blocks -= prefix_blocks();
  }
}

std::size_t Replica::phase_of(const Sequence& s) const {
  const std::int64_t block = options_.block_tokens;
  return static_cast<std::size_t>(((s.decode_start - s.prompt) % block + block) % block);
}

std::int64_t Replica::held_tokens(const Sequence& s) const {
  return s.decode_start < 0 ? s.computed : s.prompt + decode_steps_ - s.decode_start;
}

void Replica::release(const Sequence& s) {
  if (s.decode_start < 0) {
    used_ -= s.blocks;
    leave_cache(s);
    return;
  }
  used_ -= blocks_of(held_tokens(s)) - s.shared;
  leave_cache(s);
  context_ -= held_tokens(s) + 1;
  --phases_[phase_of(s)];
  --decoding_;
}

void Replica::preempt_last() {
  const auto last = std::prev(admitted_.end());
  Sequence s = last->second;
  const std::int64_t held = held_tokens(s);
  const bool was_decoding = s.decode_start >= 0;
  release(s);
  if (was_decoding) {
    s.generated += decode_steps_ - s.decode_start;
    s.last_token = std::max(last_decode_end_, s.last_token);
    s.prompt = s.served->input + s.generated;
  } else {
    std::erase(prompting_, last->first);
  }
  s.decode_start = -1;
  s.computed = s.blocks = s.shared = 0;
  s.pinned = 0;
  s.transferred = was_decoding && swap_out(s, held);
  ++s.served->preemptions;
  ++preemptions_;
  admitted_.erase(last);
  waiting_.push_front(s);
  ++known_;
}

bool Replica::swap_out(Sequence& s, std::int64_t held) {
  const std::int64_t blocks = blocks_of(held);
  if (host_used_ + blocks > options_.host_blocks) return false;
  host_used_ += blocks;
  moved_ += blocks;
  ++swaps_;
  s.host_blocks = blocks;
  s.prompt = s.computed = held;
  return true;
}

bool Replica::make_room_for_decodes() {
  bool preempted = false;
  const auto phase = static_cast<std::size_t>(decode_steps_ % options_.block_tokens);
  while (free_blocks() < phases_[phase]) {
    preempt_last();
    preempted = true;
  }
  return preempted;
}

void Replica::add_decodes() {
  take_blocks(phases_[static_cast<std::size_t>(decode_steps_ % options_.block_tokens)]);
  batch_.decodes = static_cast<double>(decoding_);
  batch_.decode_context = static_cast<double>(context_);
}

bool Replica::add_part(Sequence& s, std::int64_t budget) {
  const std::int64_t part = std::min(budget, s.prompt - s.computed);
  const bool is_cut = part < s.prompt - s.computed && s.prompt <= options_.token_budget;
  if (is_cut && !options_.cuts_prompts && batch_.tokens() > 0) return false;
  const std::int64_t blocks = blocks_of(s.computed + part) - s.shared;
  if (part <= 0 || blocks - s.blocks > free_blocks()) return false;
  take_blocks(blocks - s.blocks);
  s.blocks = blocks;
  batch_ += prompt_part(static_cast<double>(s.computed), static_cast<double>(part),
                        s.computed + part == s.prompt);
  return true;
}

void Replica::add_prompts(double now, bool may_admit) {
  const auto left = [&] {
    return options_.token_budget - static_cast<std::int64_t>(batch_.tokens());
  };
  const auto take = [&](std::uint64_t admission, Sequence& s) {
    const double before = batch_.prompt_tokens;
    if (!add_part(s, left())) return false;
    parts_.emplace_back(admission, static_cast<std::int64_t>(batch_.prompt_tokens - before));
    return true;
  };
  for (const std::uint64_t admission : prompting_)
    if (!take(admission, admitted_.at(admission))) return;
  while (may_admit && known_ > 0 && left() > 0 &&
         admitted_.size() < static_cast<std::size_t>(options_.max_sequences)) {
    Sequence& first = waiting_.front();
    if (first.transferred) return;
    use_cache(first);
    if (!take(admissions_, first)) {
      leave_cache(first);
      first.computed = first.shared = 0;
      first.pinned = 0;
      return;
    }
    if (first.served->preemptions == 0) first.served->scheduled = now;
    first.served->cached = static_cast<int>(first.computed);
    admitted_.emplace(admissions_, first);
    prompting_.push_back(admissions_++);
    waiting_.pop_front();
    --known_;
  }
}

bool Replica::holds_prompts() {
  const PromptHold& hold = options_.hold;
  const bool had_prompts = batch_.prompts > 0;
  if (hold.steps == 0 || decoding_ == 0 || !prompting_.empty()) {
    held_ = 0;
    return false;
  }
  if (hold.is_periodic) {
    if (!had_prompts && ++held_ < hold.steps) return true;
    held_ = 0;
    return false;
  }
  std::int64_t ready = known_ > 0 ? decoding_ : 0;
  for (std::size_t i = 0; i < known_ && ready < options_.token_budget; ++i)
    ready += std::min(waiting_[i].prompt, options_.token_budget - ready);
  if (known_ > 0 && held_ < hold.steps && (hold.tokens == 0 || ready < hold.tokens)) {
    ++held_;
    return true;
  }
  held_ = 0;
  return false;
}

std::int64_t Replica::reservation(const Request& request) const {
  return blocks_of(request.input + std::min(request.output, kReservedTokens));
}

bool Replica::can_reserve(const Request& request, std::size_t reserved, std::int64_t blocks) const {
  return waiting_.size() + admitted_.size() + reserved <
             static_cast<std::size_t>(options_.max_sequences) &&
         reservation(request) + blocks <= free_blocks();
}

void Replica::admit_transferred(double now, double seen) {
  while (!waiting_.empty() && waiting_.front().transferred &&
         admitted_.size() < static_cast<std::size_t>(options_.max_sequences)) {
    Sequence& s = waiting_.front();
    // Free blocks must also suffice for the next token of this sequence and of the others.
    const auto phase = static_cast<std::size_t>(decode_steps_ % options_.block_tokens);
    if (blocks_of(s.prompt + 1) + phases_[phase] > free_blocks()) return;
    take_blocks(blocks_of(s.prompt));
    host_used_ -= s.host_blocks;
    moved_ += s.host_blocks;
    s.host_blocks = 0;
    if (s.served->preemptions > 0) {
      fresh_.push_back(s.last_token);
    } else if (options_.first_on_admission) {
      s.served->first_token = seen;
      fresh_.push_back(now);
    } else {
      silent_.push_back(s.served);
    }
    admitted_.emplace(admissions_, s);
    waiting_.pop_front();
    --known_;
    start_decoding(admissions_++);
  }
}

double Replica::end_of_step(double now, double mean_tokens) {
  batch_.mean_tokens = mean_tokens;
  const auto moved = static_cast<double>(std::exchange(moved_, 0));
  return now + moved * options_.swap_seconds + seconds_(batch_);
}

bool Replica::choose_batch(double now, double seen) {
  if (!options_.chooses_ahead || admitted_.empty()) known_ = waiting_.size();
  const bool holds = holds_prompts();
  batch_ = {};
  parts_.clear();
  if (options_.mixes_prompts) {
    const bool preempted = make_room_for_decodes();
    if (!preempted) admit_transferred(now, seen);
    if (decoding_ > 0) add_decodes();
    add_prompts(now, !preempted && !holds);
  } else {
    add_prompts(now, !holds);
    if (parts_.empty()) {
      if (!make_room_for_decodes()) admit_transferred(now, seen);
      if (decoding_ > 0) add_decodes();
    }
  }
  // If unfinished prompts hold all blocks, the last one is preempted so that the first can go on.
  while (batch_.tokens() == 0 && prompting_.size() > 1) {
    preempt_last();
    add_prompts(now, false);
  }
  known_ = waiting_.size();
  return batch_.tokens() > 0;
}

void Replica::begin_decoding(std::uint64_t admission, double now, double seen,
                             const std::function<void(Served&)>& finished) {
  Sequence& s = admitted_.at(admission);
  if (s.generated == 0)
    s.served->first_token = seen;
  else
    gaps_.add(now - s.last_token, 1);
  ++s.generated;
  s.last_token = now;
  std::erase(prompting_, admission);
  fill_cache(s);
  if (options_.prefill_only || s.generated == s.served->output) {
    s.served->last_token = seen;
    Served& served = *s.served;
    release(s);
    admitted_.erase(admission);
    finished(served);
    return;
  }
  fresh_.push_back(now);
  start_decoding(admission);
}

void Replica::start_decoding(std::uint64_t admission) {
  Sequence& s = admitted_.at(admission);
  s.decode_start = decode_steps_;
  endings_.push({decode_steps_ + s.served->output - s.generated, admission});
  ++phases_[phase_of(s)];
  ++decoding_;
  context_ += s.prompt + 1;
}

void Replica::end_decodes(double now, double seen, const std::function<void(Served&)>& finished) {
  ++decode_steps_;
  context_ += decoding_;
  for (const double first : fresh_) gaps_.add(now - first, 1);
  // A sequence in silent_ sends its first and second token together.
  for (Served* served : silent_) served->first_token = seen;
  gaps_.add(0, static_cast<double>(silent_.size()));
  gaps_.add(now - last_decode_end_,
            static_cast<double>(decoding_) - static_cast<double>(fresh_.size() + silent_.size()));
  fresh_.clear();
  silent_.clear();
  last_decode_end_ = now;
  while (!endings_.empty() && endings_.top().at_step <= decode_steps_) {
    const auto found = admitted_.find(endings_.top().admission);
    endings_.pop();
    if (found == admitted_.end()) continue;  // it was preempted before its end
    Served& served = *found->second.served;
    served.last_token = seen;
    release(found->second);
    admitted_.erase(found);
    finished(served);
  }
}

void Replica::end_step(double now, double seen, const std::function<void(Served&)>& finished) {
  if (batch_.decodes > 0) end_decodes(now, seen, finished);
  for (const auto& [admission, tokens] : parts_) {
    Sequence& s = admitted_.at(admission);
    s.computed += tokens;
    if (s.computed == s.prompt) begin_decoding(admission, now, seen, finished);
  }
}

}  // namespace railyard::placement::serving
