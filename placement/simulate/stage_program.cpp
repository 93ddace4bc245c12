#include "placement/simulate/stage_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "placement/cost/blocking.hpp"

namespace railyard::placement {
namespace {

using collectives::Dependency;
using collectives::Operation;
using collectives::OperationKind;
using collectives::ProgramBuilder;

constexpr std::uint32_t kNothing = ProgramBuilder::kNothing;

/// The i-th of n parts of a time; they add up exactly.
Time part(Time whole, int i, int n) {
  const auto until = [&](int k) {
    return whole.picoseconds() / n * k + whole.picoseconds() % n * k / n;
  };
  return Time::picoseconds(until(i + 1) - until(i));
}

std::string text_of(const PipelineWork& work) {
  return fmt::format("{} {} (chunk {})", work.kind, work.micro_batch, work.chunk);
}

/// Traffic of a pass with the replicas of its chunk.
struct ReplicaTraffic {
  bool waits_for_first = false;  ///< for weights whose gather was queued at the start of the step
  bool gathers = false;          ///< gathers its weights layer by layer
  bool reduces = false;          ///< reduces its gradients
  bool last = false;             ///< performs the work after the last reduction
};

class StageWriter {
 public:
  StageWriter(const StageSetting& setting, const StageSteps& steps, const StageMessages& messages,
              collectives::NameTable& names)
      : set_(setting),
        s_(setting.strategy),
        steps_(steps),
        messages_(messages),
        b_(names),
        compute_(b_.stream("compute")) {}

  collectives::Program write() {
    receive_all();
    gather_first();
    find_first_and_last_passes();
    for (std::size_t i = 0; i < steps_.order.size(); ++i) {
      const PipelineSlot& slot = steps_.order[i];
      pass(slot.work, i);
      if (slot.beside) pass(*slot.beside, i);
      if (!s_.pp_overlap) waits_.insert(waits_.end(), sent_.begin(), sent_.end());
      sent_.clear();
    }
    finish();
    return b_.take();
  }

 private:
  /// Adds a computation after the last one and after all operations in waits_.
  std::uint32_t compute(std::string_view name, Time time, std::vector<Dependency> more = {}) {
    for (const std::uint32_t other : waits_) more.push_back({other});
    waits_.clear();
    last_ = b_.add(name, {.stream = compute_, .duration = time}, std::span<const Dependency>(more));
    return last_;
  }

  std::uint32_t collective(const PassCollective& its, double bytes, std::string_view stream,
                           std::span<const Dependency> after, double compute_share = 0) {
    const Time start = blocking_start(set_.context, s_, its.what);
    const double share = std::min(1.0, set_.context.share_in_step(its.what));
    std::string& name = names_[{its.what.role, its.what.kind}];
    if (name.empty()) name = fmt::format("{} {}", name_of(its.what.role), to_text(its.what.kind));
    return b_.add(name,
                  {.kind = OperationKind::collective,
                   .collective = its.what.kind,
                   .stream = b_.stream(stream),
                   .family = set_.families.at(its.what.role),
                   .duration = start,
                   .bytes = Bytes(std::llround(std::ceil(bytes))),
                   .rate_share = static_cast<float>(share),
                   .compute_share = static_cast<float>(compute_share)},
                  after);
  }

  void receive_all() {
    for (const StageMessage& message : messages_.receives)
      received_.push_back(add_message(message, OperationKind::receive,
                                      message.toward_next ? "from previous" : "from next",
                                      kNothing));
  }

  std::uint32_t add_message(const StageMessage& message, OperationKind kind,
                            std::string_view stream, std::uint32_t after) {
    return b_.add(fmt::format("{} {}", to_text(kind), text_of(message.work)),
                  {.kind = kind,
                   .stream = b_.stream(stream),
                   .family = set_.families.at(GroupRole::pipeline),
                   .peer = message.peer,
                   .tag = message.tag,
                   .bytes = Bytes(std::llround(std::ceil(messages_.bytes))),
                   .rate_share = static_cast<float>(std::min(1.0, messages_.rate_share))},
                  {after});
  }

  /// Adds one bucket of a chunk on the stream of replicas. Returns its last operation, or kNothing.
  std::uint32_t bucket(const std::vector<PassCollective>& all, const ChunkBuckets& chunk,
                       std::span<const Dependency> after) {
    std::uint32_t last = kNothing;
    for (const PassCollective& its : all) {
      const double bytes = its.what.bytes * its.count * chunk.share / chunk.buckets;
      last = collective(its, bytes, "replicas", after, s_.dp_overlap ? steps_.compute_share : 0);
    }
    return last;
  }

  /// Queues the gathers of all chunks' weights at the start of the step, in the order of use.
  void gather_first() {
    if (!s_.dp_overlap || s_.zero >= 2) return;
    for (const PipelineSlot& slot : steps_.order) {
      note_gather(slot.work);
      if (slot.beside) note_gather(*slot.beside);
    }
  }
  void note_gather(const PipelineWork& work) {
    if (work.kind != 'F' || gathered_.contains(work.chunk)) return;
    auto& ready = gathered_[work.chunk];
    const ChunkBuckets& chunk = steps_.buckets.at(work.chunk);
    for (int i = 0; i < chunk.buckets && !chunk.gather.empty(); ++i)
      ready.push_back(bucket(chunk.gather, chunk, {}));
  }

  /// Finds each chunk's first forward pass and its last pass that computes weight gradients.
  void find_first_and_last_passes() {
    for (std::size_t i = 0; i < steps_.order.size(); ++i) {
      const auto note = [&](const PipelineWork& work) {
        if (work.kind == 'F') first_.try_emplace(work.chunk, i);
        if (work.kind == 'W' || (work.kind == 'B' && !work.split)) last_turn_[work.chunk] = i;
      };
      note(steps_.order[i].work);
      if (steps_.order[i].beside) note(*steps_.order[i].beside);
    }
  }

  [[nodiscard]] ReplicaTraffic replica_traffic(const PipelineWork& work, std::size_t slot) const {
    const bool makes = work.kind == 'W' || (work.kind == 'B' && !work.split);
    const auto last = last_turn_.find(work.chunk);
    const bool is_last = makes && last != last_turn_.end() && last->second == slot;
    if (s_.zero >= 2)
      return {.gathers = s_.zero == 3 && work.kind != 'W', .reduces = makes, .last = is_last};
    if (!s_.dp_overlap) return {};
    return {.waits_for_first = work.kind == 'F' && first_.at(work.chunk) == slot,
            .reduces = is_last};
  }

  [[nodiscard]] const ChunkPass& pass_of(const PipelineWork& work) const {
    return (work.kind == 'F'   ? steps_.forward
            : work.kind == 'B' ? steps_.backward
                               : steps_.weight)
        .at(work.chunk);
  }

  void pass(const PipelineWork& work, std::size_t slot) {
    const ChunkBuckets& chunk = steps_.buckets.at(work.chunk);
    const ReplicaTraffic with = replica_traffic(work, slot);
    const auto input = messages_.inputs.find({work.kind, work.chunk, work.micro_batch});
    if (input != messages_.inputs.end()) waits_.push_back(received_[input->second]);
    Time elapsed = pass_of(work).elapsed;
    if (work.kind == 'B' && work.split) elapsed -= steps_.weight.at(work.chunk).elapsed;
    if (!s_.dp_overlap && with.gathers) wait_for(bucket_whole(chunk.gather, chunk));
    write_pass(work, elapsed, chunk, with);
    if (!s_.dp_overlap && with.reduces) {
      wait_for(bucket_whole(chunk.reduce, chunk));
      if (with.last) wait_for(bucket_whole(chunk.behind, chunk));
    }
    const auto message = messages_.sends.find({work.kind, work.chunk, work.micro_batch});
    if (message == messages_.sends.end()) return;
    // After everything that the pass waits for, its last collective included.
    const auto made = compute(text_of(work), Time());
    sent_.push_back(add_message(message->second, OperationKind::send,
                                message->second.toward_next ? "to next" : "to previous", made));
  }

  void wait_for(std::uint32_t operation) {
    if (operation != kNothing) waits_.push_back(operation);
  }

  /// Adds all buckets of a chunk as one, after what has been computed.
  std::uint32_t bucket_whole(const std::vector<PassCollective>& all, ChunkBuckets chunk) {
    std::vector<Dependency> after;
    if (last_ != kNothing) after.push_back({last_});
    for (const std::uint32_t other : waits_) after.push_back({other});
    chunk.buckets = 1;
    return bucket(all, chunk, after);
  }

  /// Adds the pieces of a pass, and the traffic that overlaps with them.
  void write_pass(const PipelineWork& work, Time elapsed, const ChunkBuckets& chunk,
                  const ReplicaTraffic& with) {
    const ChunkPass& its = pass_of(work);
    /// collective, its time, its window
    std::vector<std::tuple<const PassCollective*, Time, Time>> asked;
    Time all, hidden;
    for (const PassCollective& one : its.collectives)
      for (int i = 0; i < one.count; ++i) {
        const Time time = pass_collective(set_.context, s_, one.what);
        const Time window = std::min(time, part(one.window, i, one.count));
        asked.emplace_back(&one, time, window);
        all += time;
        hidden += window;
      }
    // The cost model hides this much in total; scale the windows found by probing to it.
    const Time aim = std::max(Time(), all - its.exposed);
    const double scale = hidden > Time() ? std::min(1.0, aim.seconds() / hidden.seconds()) : 0;
    const Time work_time = std::max(Time(), elapsed - its.exposed);
    Time free = work_time;
    for (auto& [one, time, window] : asked) {
      window = Time::from_seconds(window.seconds() * scale);
      free -= window;
    }
    free = std::max(Time(), free);
    const bool bucketed = s_.dp_overlap && (with.waits_for_first || with.gathers || with.reduces);
    const int slices = static_cast<int>(asked.size()) + 1;
    const int cuts = bucketed ? (chunk.buckets + slices - 1) / slices : 1;
    pieces_ = slices * cuts;
    piece_ = bucket_ = gathered_buckets_ = 0;
    const std::string name = text_of(work);
    for (int i = 0; i < slices; ++i) {
      for (int k = 0; k < cuts; ++k) {
        piece(name, part(part(free, i, slices), k, cuts), work, chunk, with, bucketed);
        ++piece_;
      }
      if (i + 1 == slices) break;
      const auto& [one, time, window] = asked[static_cast<std::size_t>(i)];
      const std::array<Dependency, 1> after{{{last_}}};
      const auto done = collective(*one, one->what.bytes, name_of(one->what.role), after);
      if (window > Time()) compute(name, window);
      waits_.push_back(done);
    }
  }

  /// Adds one piece of a pass. It waits for the buckets of weights that it starts with, queues the
  /// next gather, and reduces the gradients of the buckets that it completes.
  void piece(std::string_view name, Time time, const PipelineWork& work, const ChunkBuckets& chunk,
             const ReplicaTraffic& with, bool bucketed) {
    const int n = chunk.buckets;
    if (bucketed && with.waits_for_first) {
      const auto& ready = gathered_[work.chunk];
      for (; bucket_ < n && bucket_ * pieces_ <= piece_ * n; ++bucket_)
        if (!ready.empty()) wait_for(ready[static_cast<std::size_t>(bucket_)]);
    }
    if (with.gathers && bucketed)
      for (; bucket_ < n && bucket_ * pieces_ <= piece_ * n; ++bucket_) {
        if (gathered_buckets_ <= bucket_) next_gather(chunk, {});
        wait_for(next_);
        next_ = kNothing;
      }
    const auto done = compute(name, time);
    if (with.gathers && bucketed && gathered_buckets_ < n && gathered_buckets_ == bucket_)
      next_gather(chunk, {.operation = done, .on_begin = true});
    if (!with.reduces || !bucketed) return;
    const std::array<Dependency, 1> after{{{done}}};
    for (int i = 0; i < n; ++i) {
      // The piece that completes bucket i.
      if (((i + 1) * pieces_ + n - 1) / n - 1 != piece_) continue;
      bucket(chunk.reduce, chunk, after);
      if (with.last) bucket(chunk.behind, chunk, after);
    }
  }

  /// Queues the next bucket of weights, at the start of a piece or after what has been computed.
  void next_gather(const ChunkBuckets& chunk, Dependency behind) {
    std::vector<Dependency> after;
    if (behind.on_begin) {
      after.push_back(behind);
    } else {
      if (last_ != kNothing) after.push_back({last_});
      for (const std::uint32_t other : waits_) after.push_back({other});
    }
    next_ = bucket(chunk.gather, chunk, after);
    ++gathered_buckets_;
  }

  void finish() {
    const ChunkBuckets whole{.share = 1, .buckets = 1};
    if (!s_.dp_overlap && s_.zero < 2) wait_for(bucket_whole(steps_.reduce, whole));
    // Streams run in order, so a barrier on the stream of replicas follows all its operations.
    if (!steps_.tied.empty()) wait_for(bucket_whole(steps_.tied, whole));
    const auto passes = compute("passes", Time());
    const auto barrier = b_.add("gradient norm",
                                {.kind = OperationKind::collective,
                                 .stream = b_.stream("replicas"),
                                 .family = set_.everyone},
                                {passes});
    wait_for(barrier);
    compute(kOptimizer, steps_.optimizer);
    if (steps_.host > Time())
      wait_for(b_.add(
          "offload",
          {.kind = OperationKind::copy, .stream = b_.stream("host"), .duration = steps_.host},
          {last_}));
    if (!s_.dp_overlap && s_.zero < 2) wait_for(bucket_whole(steps_.gather, whole));
    compute("end", Time());
  }

  const StageSetting& set_;
  const Strategy& s_;
  const StageSteps& steps_;
  const StageMessages& messages_;
  ProgramBuilder b_;
  std::map<std::pair<GroupRole, collectives::Kind>, std::string> names_;  ///< names of collectives
  std::uint16_t compute_;
  std::uint32_t last_ = kNothing;     ///< the last computation
  std::vector<std::uint32_t> waits_;  ///< operations that the next computation waits for
  std::vector<std::uint32_t> sent_;   ///< messages of the present slot
  std::vector<std::uint32_t> received_;
  std::map<int, std::vector<std::uint32_t>> gathered_;  ///< by chunk and bucket
  std::map<int, std::size_t> first_, last_turn_;
  /// progress within the current pass
  int pieces_ = 1, piece_ = 0, bucket_ = 0, gathered_buckets_ = 0;
  std::uint32_t next_ = kNothing;  ///< the gather of weights that was queued last
};

}  // namespace

std::optional<PipelineWork> pass_named(std::string_view computation) {
  // Written by text_of(): "F 3 (chunk 0)".
  constexpr std::string_view kChunk = " (chunk ";
  const std::size_t chunk = computation.find(kChunk);
  if (computation.size() < 2 || computation[1] != ' ' || chunk == std::string_view::npos) return {};
  PipelineWork work{.kind = computation[0]};
  const auto number = [&](std::size_t at, int& value) {
    const char* const end = computation.data() + computation.size();
    return std::from_chars(computation.data() + at, end, value).ec == std::errc();
  };
  if (!number(2, work.micro_batch) || !number(chunk + kChunk.size(), work.chunk)) return {};
  return work;
}

std::optional<PipelineWork> pass_of_message(std::string_view message) {
  const std::size_t space = message.find(' ');
  return space == std::string_view::npos ? std::nullopt : pass_named(message.substr(space + 1));
}

collectives::Program stage_program(const StageSetting& setting, const StageSteps& steps,
                                   const StageMessages& messages, collectives::NameTable& names) {
  return StageWriter(setting, steps, messages, names).write();
}

}  // namespace railyard::placement
