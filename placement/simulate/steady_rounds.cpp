#include "placement/simulate/steady_rounds.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "placement/simulate/stage_program.hpp"

namespace railyard::placement {
namespace {

using collectives::OperationKind;
using collectives::RankClassRun;
using collectives::Workload;

/// Micro-batches per round; 0: the schedule has no rounds.
int round_of(const Strategy& s) {
  switch (s.schedule) {
    case PipelineSchedule::one_f_one_b:
    case PipelineSchedule::zero_bubble: return 1;
    case PipelineSchedule::interleaved: return s.interleave > 1 ? s.pp : 1;
    case PipelineSchedule::gpipe: return s.pp == 1 ? 1 : 0;
    case PipelineSchedule::dualpipe: return 0;
  }
  return 0;
}

/// Backward passes before the rounds of all ranks are equal. With ZB-H1 as many as stages, because
/// rank r computes weight gradients from its (r + 1)-th backward pass on.
int uneven_backward_passes(const Strategy& s) {
  return s.schedule == PipelineSchedule::zero_bubble ? s.pp : 0;
}

/// Ends of the backward passes of a rank's first chunk before its last forward pass, by
/// micro-batch; and the end of all its passes.
struct PassEnds {
  std::vector<Time> backward{};
  Time last{};
};

PassEnds pass_ends(const Workload& workload, const RankClassRun& ranks) {
  PassEnds ends;
  Time forward;
  int chunk = -1;
  const collectives::Program& program = workload.program_of(ranks.ranks.front());
  for (std::size_t i = 0; i < program.operations.size(); ++i) {
    if (program.operations[i].kind != OperationKind::compute) continue;
    const auto work = pass_named(workload.names()[program.operations[i].name]);
    if (!work) continue;
    const Time end = ranks.operations[i].end;
    ends.last = std::max(ends.last, end);
    if (work->kind == 'F') forward = std::max(forward, end);
    if (work->kind != 'B') continue;
    if (chunk < 0) chunk = work->chunk;
    if (work->chunk != chunk) continue;
    const auto index = static_cast<std::size_t>(work->micro_batch);
    if (ends.backward.size() <= index) ends.backward.resize(index + 1);
    ends.backward[index] = std::max(ends.backward[index], end);
  }
  const auto after = std::ranges::find_if(ends.backward, [&](Time end) { return end > forward; });
  ends.backward.erase(after, ends.backward.end());
  return ends;
}

/// The rounds that a rank shows, in two halves with equal numbers.
struct Rounds {
  Time first{}, middle{}, last{};
  int count = 0;
  [[nodiscard]] double difference() const {
    const double both = (last - first).seconds();
    return both > 0 ? std::abs((last - middle).seconds() - (middle - first).seconds()) / both : 0;
  }
};

std::optional<Rounds> rounds_of(const std::vector<Time>& backward, int round) {
  const auto count = static_cast<int>(backward.size());
  const int each = (count - 1) / (2 * round);
  if (each < 1) return {};
  const auto at = [&](int halves) {
    return backward[static_cast<std::size_t>(count - 1 - halves * each * round)];
  };
  return Rounds{.first = at(2), .middle = at(1), .last = at(0), .count = 2 * each};
}

}  // namespace

std::optional<RoundsLeftOut> rounds_left_out(const Strategy& s, const Workload& workload,
                                             const collectives::WorkloadRun& run, int left_out) {
  const int round = round_of(s);
  if (round == 0 || left_out % round != 0) return {};
  RoundsLeftOut rounds;
  Time end, longer_end;
  for (const RankClassRun& ranks : run.classes) {
    PassEnds ends = pass_ends(workload, ranks);
    const auto early =
        std::min(ends.backward.size(), static_cast<std::size_t>(uneven_backward_passes(s)));
    ends.backward.erase(ends.backward.begin(),
                        ends.backward.begin() + static_cast<std::ptrdiff_t>(early));
    const auto its = rounds_of(ends.backward, round);
    if (!its) return {};
    rounds.difference = std::max(rounds.difference, its->difference());
    end = std::max(end, ends.last);
    const double times = static_cast<double>(left_out / round) / its->count;
    const Time longer = ends.last + Time::from_seconds(times * (its->last - its->first).seconds());
    if (longer <= longer_end) continue;
    longer_end = longer;
    rounds.from = its->first;
    rounds.to = its->last;
    rounds.times = times;
  }
  rounds.longer = longer_end - end;
  return rounds;
}

int micro_batches_for_rounds(const Strategy& s) {
  const int round = round_of(s);
  if (round == 0) return 0;
  // Rounds in which stages start and end one after another, and two halves between them.
  return round == 1 ? std::max(3 * s.pp, s.pp + 8) + uneven_backward_passes(s) : 4 * s.pp;
}

}  // namespace railyard::placement
