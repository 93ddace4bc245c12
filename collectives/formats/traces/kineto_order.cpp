#include "collectives/formats/traces/kineto_order.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace railyard::collectives {
namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};
// CUPTI's clocks of host and GPU agree to about a microsecond.
constexpr std::int64_t kClockError = 1'000;
// A stream that waited begins its next kernel within a launch latency.
constexpr std::int64_t kSoon = 20'000;

using Stream = std::pair<std::int64_t, std::int64_t>;  ///< device, number

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}
bool is_wait_of_stream(const KinetoCall& call) { return contains(call.name, "StreamWaitEvent"); }
bool is_record(const KinetoCall& call) { return contains(call.name, "EventRecord"); }
bool waits_for_gpu(const KinetoCall& call) {
  static constexpr std::array<std::string_view, 4> kBlocking{
      "DeviceSynchronize", "StreamSynchronize", "EventSynchronize", "CtxSynchronize"};
  return std::any_of(kBlocking.begin(), kBlocking.end(),
                     [&](std::string_view part) { return contains(call.name, part); });
}
bool copies(const KinetoCall& call) { return contains(call.name, "Memcpy"); }

class Order {
 public:
  explicit Order(const KinetoTrace& trace) : trace_(trace) {}

  KinetoOrder build() {
    sort_events();
    link_launches();
    if (trace_.waits.empty())
      infer_waits();
    else
      use_recorded_waits();
    make_steps();
    return std::move(order_);
  }

 private:
  [[nodiscard]] Stream stream_of(std::uint32_t gpu) const {
    return {trace_.gpu[gpu].device, trace_.gpu[gpu].stream};
  }
  [[nodiscard]] const KinetoSpan& span(std::uint32_t gpu) const { return trace_.gpu[gpu].span; }

  void sort_events() {
    by_begin_.resize(trace_.gpu.size());
    std::iota(by_begin_.begin(), by_begin_.end(), 0U);
    std::stable_sort(by_begin_.begin(), by_begin_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return span(a).begin < span(b).begin;
    });
    calls_.resize(trace_.calls.size());
    std::iota(calls_.begin(), calls_.end(), 0U);
    std::stable_sort(calls_.begin(), calls_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return trace_.calls[a].span.begin < trace_.calls[b].span.begin;
    });
  }

  void link_launches() {
    for (const std::uint32_t call : calls_) {
      if (trace_.calls[call].correlation >= 0)
        call_of_.emplace(trace_.calls[call].correlation, call);
    }
    launch_.assign(trace_.gpu.size(), kNone);
    waits_.resize(trace_.gpu.size());
    launched_.resize(trace_.calls.size());
    for (const std::uint32_t gpu : by_begin_) {
      const auto found = call_of_.find(trace_.gpu[gpu].correlation);
      if (trace_.gpu[gpu].correlation < 0 || found == call_of_.end() ||
          trace_.calls[found->second].span.begin > span(gpu).begin + kClockError) {
        ++order_.without_launch;
        continue;
      }
      launch_[gpu] = found->second;
      launched_[found->second].push_back(gpu);
    }
  }

  /// Lets `gpu` wait for `other`, unless the recorded times rule that out.
  bool wait(std::uint32_t gpu, std::uint32_t other) {
    if (other == kNone || other == gpu) return false;
    if (span(other).end > span(gpu).begin + kClockError || span(other).begin >= span(gpu).begin) {
      ++order_.contradicted;
      return false;
    }
    waits_[gpu].push_back(other);
    return true;
  }

  // Uses the waits that the profiler recorded. A wait consists of the call (by correlation), the
  // waiting stream, and the call that recorded the event or at least the stream of the event.
  void use_recorded_waits() {
    std::unordered_map<std::int64_t, const KinetoWait*> wait_of;  // looked up only
    for (const KinetoWait& wait : trace_.waits)
      if (wait.correlation >= 0) wait_of.emplace(wait.correlation, &wait);
    std::map<Stream, std::uint32_t> last;                        // launched on a stream
    std::map<std::int64_t, std::vector<std::uint32_t>> pending;  // of a stream: to wait for
    std::unordered_map<std::int64_t, std::map<std::int64_t, std::uint32_t>> recorded;
    for (const std::uint32_t number : calls_) {
      const KinetoCall& call = trace_.calls[number];
      if (is_record(call)) {
        for (const auto& [stream, gpu] : last) recorded[call.correlation][stream.second] = gpu;
      } else if (const auto found = wait_of.find(call.correlation);
                 found != wait_of.end() && is_wait_of_stream(call)) {
        const KinetoWait& wait = *found->second;
        const auto at = recorded.find(wait.record);
        if (at == recorded.end()) continue;
        const auto other = at->second.find(wait.other_stream);
        if (other != at->second.end()) pending[wait.stream].push_back(other->second);
      }
      for (const std::uint32_t gpu : launched_[number]) {
        auto& others = pending[trace_.gpu[gpu].stream];
        for (const std::uint32_t other : others) order_.recorded_waits += wait(gpu, other) ? 1 : 0;
        others.clear();
        last[stream_of(gpu)] = gpu;
      }
    }
  }

  /// The state of a host thread.
  struct Thread {
    std::uint32_t last = kNone;   ///< GPU event launched last
    std::uint32_t waits = 0;      ///< cudaStreamWaitEvent since
    bool is_behind_nccl = false;  ///< the call before launched an NCCL kernel
    bool joins_nccl = false;      ///< ... and the one after that recorded an event
  };

  void infer_waits() {
    const bool has_waits = std::any_of(trace_.calls.begin(), trace_.calls.end(), is_wait_of_stream);
    for (const std::uint32_t number : calls_) {
      const KinetoCall& call = trace_.calls[number];
      Thread& thread = threads_[call.thread];
      const bool was_behind = std::exchange(thread.is_behind_nccl, false);
      const bool joins = std::exchange(thread.joins_nccl, false);
      // Directly after a launch NCCL lets the user's stream wait for its own streams (one record,
      // one wait). Such waits order no operations of the trace, so they are ignored.
      if (is_record(call)) thread.joins_nccl = was_behind;
      if (is_wait_of_stream(call) && !joins) ++thread.waits;
      for (const std::uint32_t gpu : launched_[number]) infer_waits_of(gpu, thread, has_waits);
      if (!launched_[number].empty()) {
        thread.waits = 0;
        thread.last = launched_[number].back();
        thread.is_behind_nccl = trace_.gpu[thread.last].is_nccl;
        if (!thread.is_behind_nccl) last_compute_ = thread.last;
      }
    }
    if (!has_waits) infer_waits_from_times();
  }

  void infer_waits_of(std::uint32_t gpu, const Thread& thread, bool has_waits) {
    if (trace_.gpu[gpu].is_nccl) {
      if (thread.waits > 0 || !has_waits) add_inferred(gpu, last_compute_);
      nccl_.push_back(gpu);
      return;
    }
    const bool changes_stream = thread.last != kNone && !trace_.gpu[thread.last].is_nccl &&
                                stream_of(thread.last) != stream_of(gpu);
    if (changes_stream && (thread.waits > 0 || !has_waits)) {
      add_inferred(gpu, thread.last);
      return;
    }
    for (std::uint32_t i = 0; i < thread.waits && !nccl_.empty(); ++i) {
      add_inferred(gpu, nccl_.front());
      nccl_.pop_front();
    }
  }

  void add_inferred(std::uint32_t gpu, std::uint32_t other) {
    order_.inferred_waits += wait(gpu, other) ? 1 : 0;
  }

  void infer_waits_from_times() {
    std::map<Stream, std::uint32_t> last;
    std::vector<std::uint32_t> collectives;
    for (const std::uint32_t gpu : by_begin_)
      if (trace_.gpu[gpu].is_nccl) collectives.push_back(gpu);
    std::sort(collectives.begin(), collectives.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::pair(span(a).end, a) < std::pair(span(b).end, b);
    });
    std::size_t ended = 0;
    for (const std::uint32_t gpu : by_begin_) {
      const std::int64_t begin = span(gpu).begin;
      while (ended < collectives.size() && span(collectives[ended]).end <= begin) ++ended;
      const auto [before, is_first] = last.try_emplace(stream_of(gpu), gpu);
      const std::uint32_t previous = is_first ? kNone : std::exchange(before->second, gpu);
      if (ended == 0 || trace_.gpu[gpu].is_nccl) continue;
      const std::uint32_t other = collectives[ended - 1];
      const std::int64_t end = span(other).end;
      const bool was_launched = launch_[gpu] != kNone && trace_.calls[launch_[gpu]].span.end <= end;
      const bool was_free = previous == kNone || span(previous).end <= end;
      if (begin - end <= kSoon && was_launched && was_free) add_inferred(gpu, other);
    }
  }

  /// The GPU events that a blocking call waited for. A call that synchronises the device waits for
  /// the last event of each stream. For any other call it is the event that ended last during the
  /// call.
  [[nodiscard]] std::vector<std::uint32_t> waited_for(
      const KinetoCall& call, const std::map<Stream, std::uint32_t>& last) const {
    std::vector<std::uint32_t> found;
    const bool is_of_all =
        contains(call.name, "DeviceSynchronize") || contains(call.name, "CtxSynchronize");
    for (const auto& [stream, gpu] : last) {
      if (span(gpu).end > call.span.end + kClockError) continue;
      if (is_of_all) {
        found.push_back(gpu);
      } else if (span(gpu).end > call.span.begin) {
        if (found.empty() || span(found.front()).end < span(gpu).end) found.assign(1, gpu);
      }
    }
    return found;
  }

  /// A moment at which something begins: a call, the end of a blocking call, or a GPU event.
  struct Moment {
    std::int64_t at = 0;
    enum class Type : std::uint8_t { call, end_of_call, gpu } type = Type::call;
    std::uint32_t index = 0;
  };

  [[nodiscard]] std::vector<Moment> moments() const {
    std::vector<Moment> moments;
    for (const std::uint32_t number : calls_) {
      const KinetoCall& call = trace_.calls[number];
      const bool blocks = waits_for_gpu(call) || copies(call);
      if (launched_[number].empty() && !blocks) continue;
      moments.push_back({call.span.begin, Moment::Type::call, number});
      if (blocks) moments.push_back({call.span.end, Moment::Type::end_of_call, number});
    }
    for (const std::uint32_t gpu : by_begin_)
      moments.push_back({span(gpu).begin, Moment::Type::gpu, gpu});
    // A launch precedes its kernel, even if the two clocks differ.
    for (Moment& moment : moments) {
      if (moment.type == Moment::Type::gpu && launch_[moment.index] != kNone)
        moment.at = std::max(moment.at, trace_.calls[launch_[moment.index]].span.begin);
    }
    std::stable_sort(moments.begin(), moments.end(),
                     [](const Moment& a, const Moment& b) { return a.at < b.at; });
    return moments;
  }

  void make_steps() {
    const std::vector<Moment> all = moments();
    order_.begin = all.front().at;
    host_at_ = order_.begin;
    step_of_.assign(trace_.gpu.size(), kNone);
    std::vector<std::uint32_t> step_of_call(trace_.calls.size(), kNone);
    std::map<Stream, std::uint32_t> launched, ran;
    for (const Moment& moment : all) {
      if (moment.type == Moment::Type::gpu) {
        add_gpu_step(moment, step_of_call, ran);
        order_.end = std::max(order_.end, span(moment.index).end);
        continue;
      }
      std::vector<std::uint32_t> others;
      const KinetoCall& call = trace_.calls[moment.index];
      if (moment.type == Moment::Type::end_of_call) others = waited_for(call, launched);
      add_host_step(moment, others);
      order_.end = std::max(order_.end, moment.at);
      if (moment.type != Moment::Type::call) continue;
      step_of_call[moment.index] = static_cast<std::uint32_t>(order_.steps.size() - 1);
      for (const std::uint32_t gpu : launched_[moment.index]) launched[stream_of(gpu)] = gpu;
    }
  }

  void add_host_step(const Moment& moment, const std::vector<std::uint32_t>& others) {
    KinetoStep step{.call = moment.index};
    std::int64_t ready = host_at_;
    for (const std::uint32_t gpu : others) {
      if (step_of_[gpu] == kNone) continue;
      step.after.push_back(step_of_[gpu]);
      ready = std::max(ready, span(gpu).end);
    }
    step.delay = std::max<std::int64_t>(moment.at - ready, 0);
    host_at_ = moment.at;
    order_.steps.push_back(std::move(step));
  }

  void add_gpu_step(const Moment& moment, const std::vector<std::uint32_t>& step_of_call,
                    std::map<Stream, std::uint32_t>& ran) {
    const std::uint32_t gpu = moment.index;
    KinetoStep step{.gpu = gpu};
    std::int64_t ready = order_.begin;
    if (const std::uint32_t call = launch_[gpu]; call != kNone && step_of_call[call] != kNone) {
      step.after.push_back(step_of_call[call]);
      ready = std::max(ready, trace_.calls[call].span.begin);
    }
    if (const auto before = ran.find(stream_of(gpu)); before != ran.end())
      ready = std::max(ready, span(before->second).end);
    for (const std::uint32_t other : waits_[gpu]) {
      if (step_of_[other] == kNone) continue;
      step.after.push_back(step_of_[other]);
      ready = std::max(ready, span(other).end);
    }
    step.delay = std::max<std::int64_t>(span(gpu).begin - ready, 0);
    ran[stream_of(gpu)] = gpu;
    step_of_[gpu] = static_cast<std::uint32_t>(order_.steps.size());
    order_.steps.push_back(std::move(step));
  }

  const KinetoTrace& trace_;
  KinetoOrder order_;
  std::vector<std::uint32_t> by_begin_, calls_;
  std::unordered_map<std::int64_t, std::uint32_t> call_of_;  ///< by correlation; looked up only
  std::vector<std::uint32_t> launch_;                        ///< of a GPU event: its call
  std::vector<std::vector<std::uint32_t>> launched_;         ///< by a call: GPU events
  std::vector<std::vector<std::uint32_t>> waits_;            ///< of a GPU event
  std::map<std::int64_t, Thread> threads_;
  std::deque<std::uint32_t> nccl_;  ///< launched, and nothing has waited for it
  std::uint32_t last_compute_ = kNone;
  std::vector<std::uint32_t> step_of_;
  std::int64_t host_at_ = 0;
};

}  // namespace

KinetoOrder order_of_kineto(const KinetoTrace& trace) { return Order(trace).build(); }

}  // namespace railyard::collectives
