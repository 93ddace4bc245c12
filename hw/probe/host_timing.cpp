#include "hw/probe/host_timing.hpp"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "collectives/algorithms/algorithm.hpp"
#include "hw/local/local_task.hpp"

namespace railyard::hw {
namespace {

using collectives::Kind;
using Clock = std::chrono::steady_clock;

/// Bytes per rank and step in the short runs: some cache lines, as in a collective of kilobytes.
constexpr std::int64_t kSmall = 512;
/// Total memory of all ranks if the cache size is unknown: larger than most caches.
constexpr std::int64_t kLarge = std::int64_t{128} << 20;
/// The largest total memory: more takes too long to fill, and no cache has a quarter of it.
constexpr std::int64_t kMost = std::int64_t{2} << 30;
/// Smallest number of runs, and shortest time in seconds for runs of microseconds (short) and of
/// milliseconds (long), which are more likely to be interrupted.
constexpr int kLeastRuns = 12;
constexpr double kShort = 0.1;
constexpr double kLong = 0.5;
constexpr int kMostRounds = 5;

double since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

class Stopwatch {
 public:
  explicit Stopwatch(const topology::Cluster& node)
      : node_(node),
        group_(std::make_shared<const collectives::Group>(
            collectives::Group::first(node, node.rank_count()))) {}

  [[nodiscard]] std::int64_t ranks() const { return group_->size(); }

  /// The medians of ring collectives of these kinds, run in turns for `budget` seconds each. Data
  /// is fresh in each run, as in bench, which compares predictions with medians. The minimum would
  /// show runs in which no thread had to be woken.
  [[nodiscard]] std::vector<double> seconds(const std::vector<Kind>& kinds, std::int64_t bytes,
                                            double budget) {
    std::vector<std::vector<double>> rounds(kinds.size());
    for (int round = 0; round < kMostRounds; ++round) {
      const std::vector<double> medians = round_of(kinds, bytes, budget);
      bool agree = round > 0;
      for (std::size_t i = 0; i < kinds.size(); ++i) {
        agree = agree && apart(rounds[i].back(), medians[i]) <= HostTiming::kAgreement;
        rounds[i].push_back(medians[i]);
      }
      if (agree) break;
    }
    std::vector<double> medians;
    for (std::vector<double>& of_kind : rounds) {
      std::ranges::sort(of_kind);
      spread_ = std::max(spread_, apart(of_kind.front(), of_kind.back()));
      medians.push_back(of_kind[(of_kind.size() - 1) / 2]);
    }
    return medians;
  }
  /// The largest difference between rounds so far.
  [[nodiscard]] double spread() const { return spread_; }

 private:
  /// The longer of two times over the shorter, less one.
  [[nodiscard]] static double apart(double a, double b) {
    return std::max(a, b) / std::max(std::min(a, b), 1e-12) - 1;
  }

  [[nodiscard]] std::vector<double> round_of(const std::vector<Kind>& kinds, std::int64_t bytes,
                                             double budget) const {
    std::vector<Series> all;
    for (const Kind kind : kinds) all.emplace_back(schedule_of(kind, bytes), group_->size());
    const Clock::time_point start = Clock::now();
    const double until = budget * static_cast<double>(kinds.size());
    for (int run = 0; run < kLeastRuns || since(start) < until; ++run)
      for (Series& one : all) one.run();
    std::vector<double> medians;
    for (Series& one : all) medians.push_back(one.median());
    return medians;
  }

  /// Runs of one collective.
  class Series {
   public:
    Series(collectives::Schedule schedule, std::uint32_t ranks)
        : schedule_(std::make_unique<collectives::Schedule>(std::move(schedule))),
          task_(std::make_unique<LocalTask>(*schedule_,
                                            LocalTask::Options{.threads = threads_for(0, ranks)})) {
      task_->memory().reset();
    }
    void run() {
      task_->memory().restore();
      task_->prepare();
      const Clock::time_point begin = Clock::now();
      task_->run();
      times_.push_back(since(begin));
    }
    [[nodiscard]] double median() {
      const auto middle = times_.begin() + static_cast<std::ptrdiff_t>(times_.size() / 2);
      std::ranges::nth_element(times_, middle);
      return *middle;
    }

   private:
    std::unique_ptr<collectives::Schedule> schedule_;
    std::unique_ptr<LocalTask> task_;
    std::vector<double> times_;
  };

  [[nodiscard]] collectives::Schedule schedule_of(Kind kind, std::int64_t bytes) const {
    collectives::Request request{.cluster = node_,
                                 .group = group_,
                                 .collective = {.kind = kind, .bytes = Bytes(bytes)},
                                 .options = {}};
    request.options.protocol = collectives::Protocol::simple;
    return collectives::find_algorithm("ring")->build(request);
  }

  const topology::Cluster& node_;
  std::shared_ptr<const collectives::Group> group_;
  double spread_ = 0;
};

Time rounded(double seconds) {
  return Time::nanoseconds(std::llround(std::max(seconds, 0.0) * 1e9));
}

/// Rounded to 10 Mb/s, far below the variation between runs.
Bandwidth rate_of(double seconds_per_byte) {
  const auto megabits = static_cast<std::int64_t>(8 / seconds_per_byte / 1e7) * 10;
  return Bandwidth::megabits_per_second(std::max<std::int64_t>(megabits, 10));
}

}  // namespace

HostTiming measure_host_timing(const topology::Cluster& node, Bytes cache) {
  Stopwatch stopwatch(node);
  const std::int64_t ranks = stopwatch.ranks();
  assert(ranks > 1);
  // An all-gather has n - 1 steps, an all-reduce twice as many; each moves c = bytes / n of a rank:
  //   t = launch + steps (step + c / rate)
  const auto steps = static_cast<double>(ranks - 1);
  const std::int64_t small = kSmall * ranks;
  const std::vector<double> short_runs =
      stopwatch.seconds({Kind::all_reduce, Kind::all_gather}, small, kShort);
  const double reduced = short_runs[0];
  const double gathered = short_runs[1];
  const auto seconds_per_byte = [&](std::int64_t all_memory) {
    const std::int64_t chunk =
        std::max(all_memory / ranks / ranks / kSmall, std::int64_t{2}) * kSmall;
    const double took = stopwatch.seconds({Kind::all_reduce}, chunk * ranks, kLong).front();
    // Short runs may have been interrupted: at least half of the time is attributed to the bytes.
    return std::max(took - reduced, took / 2) / (2 * steps * static_cast<double>(chunk - kSmall));
  };
  HostTiming timing;
  double small_per_byte = 0;
  if (cache > Bytes()) {
    small_per_byte = seconds_per_byte(std::min(cache.count(), kMost) / 4);
    timing.cached_rate = rate_of(small_per_byte);
  }
  const double per_byte =
      seconds_per_byte(cache > Bytes() ? std::min(cache.count() * 4, kMost) : kLarge);
  timing.rate = rate_of(per_byte);
  if (!timing.cached_rate) small_per_byte = per_byte;
  // Bounds against noise: launch and bytes are not negative, and a step is at least a quarter of
  // its share.
  const double share = reduced / (2 * steps);
  const double with_bytes =
      std::clamp((reduced - gathered) / steps, share / 4, std::max(gathered / steps, share / 4));
  timing.step =
      rounded(std::max(with_bytes - static_cast<double>(kSmall) * small_per_byte, with_bytes / 2));
  timing.launch = rounded(gathered - steps * with_bytes);
  timing.spread = stopwatch.spread();
  return timing;
}

}  // namespace railyard::hw
