#include "hw/live_measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <limits>

#include "core/diagnostic.hpp"

namespace railyard::hw {
namespace {

/// A span in picoseconds, as it travels between processes of one architecture.
struct Ends {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::uint32_t rank = 0;
  std::uint32_t iteration = 0;
};

std::string packed(const std::vector<Ends>& spans) {
  std::string text(spans.size() * sizeof(Ends), '\0');
  if (!spans.empty()) std::memcpy(text.data(), spans.data(), text.size());
  return text;
}

std::vector<Ends> unpacked(const std::string& text) {
  std::vector<Ends> spans(text.size() / sizeof(Ends));
  if (!spans.empty()) std::memcpy(spans.data(), text.data(), spans.size() * sizeof(Ends));
  return spans;
}

/// One iteration over all ranks.
struct Iteration {
  std::int64_t first_arrival = std::numeric_limits<std::int64_t>::max();
  std::int64_t last_arrival = std::numeric_limits<std::int64_t>::min();
  std::int64_t longest = 0;

  void add(const Ends& span) {
    first_arrival = std::min(first_arrival, span.begin);
    last_arrival = std::max(last_arrival, span.begin);
    longest = std::max(longest, span.end - span.begin);
  }
};

/// Combines the spans of all processes at process 0.
void collect(LiveBackend& backend, const std::vector<Ends>& mine, std::size_t iterations,
             int runs_per_iteration, Measured& measured) {
  std::vector<Iteration> all(iterations);
  measured.rank_times.assign(backend.ranks(), std::vector<Time>(iterations));
  for (const std::string& text : backend.world().gather(packed(mine))) {
    for (const Ends& span : unpacked(text)) {
      all[span.iteration].add(span);
      measured.rank_times.at(span.rank)[span.iteration] =
          Time::picoseconds((span.end - span.begin) / runs_per_iteration);
    }
  }
  if (backend.world().process() != 0) return;
  for (const Iteration& iteration : all) {
    measured.times.push_back(Time::picoseconds(iteration.longest / runs_per_iteration));
    measured.skews.push_back(Time::picoseconds(
        std::max<std::int64_t>(iteration.last_arrival - iteration.first_arrival, 0)));
  }
}

void add_spans(const std::vector<Span>& spans, int iteration, std::vector<Ends>& to) {
  for (const Span& span : spans) {
    to.push_back({span.begin.picoseconds(), span.end.picoseconds(), span.rank,
                  static_cast<std::uint32_t>(iteration)});
  }
}

/// Sums the check results of all processes, sent as "COUNT TEXT".
CheckResult checked_together(World& world, const CheckResult& mine) {
  CheckResult all;
  for (const std::string& text :
       world.gather(std::to_string(mine.wrong) + ' ' + mine.first_wrong)) {
    const std::size_t space = text.find(' ');
    all += {.wrong = std::stoll(text.substr(0, space)), .first_wrong = text.substr(space + 1)};
  }
  return world.process() == 0 ? all : mine;
}

}  // namespace

void require_addressable(Bytes bytes, std::size_t ranks) {
  constexpr std::int64_t kMost = std::int64_t{1} << 56;
  const auto count = std::max<std::int64_t>(static_cast<std::int64_t>(ranks), 1);
  if (bytes.count() <= kMost / count) return;
  throw BackendError(
      fmt::format("{} ranks with {} are more than any machine has memory for; take "
                  "fewer ranks or bytes",
                  count, core::to_text(bytes)));
}

Measured measure(LiveBackend& backend, const LiveTask& task, const Repetition& repetition) {
  require_addressable(task.collective.bytes, backend.ranks());
  LiveTask wanted = task;
  wanted.by_rank |= repetition.by_rank;
  return measure(backend, *backend.prepare(wanted), repetition);
}

Measured measure(LiveBackend& backend, LiveRun& run, const Repetition& repetition) {
  assert(repetition.iterations > 0);
  World& world = backend.world();
  Measured measured;
  run.reset();
  for (int i = 0; i < repetition.warmup; ++i) (void)run.run(1);
  std::vector<Ends> mine;
  const int rounds = repetition.back_to_back ? 1 : repetition.iterations;
  const int runs = repetition.back_to_back ? repetition.iterations : 1;
  for (int i = 0; i < rounds; ++i) {
    run.restore();
    world.barrier();
    add_spans(run.run(runs), i, mine);
  }
  collect(backend, mine, static_cast<std::size_t>(rounds), runs, measured);
  if (!repetition.check) return measured;
  run.reset();
  world.barrier();
  (void)run.run(1);
  measured.check = checked_together(world, run.check());
  return measured;
}

}  // namespace railyard::hw
