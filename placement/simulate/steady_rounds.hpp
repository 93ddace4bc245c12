#pragma once

#include <optional>

#include "collectives/workload/workload_result.hpp"
#include "core/units.hpp"
#include "placement/strategy/strategy.hpp"

namespace railyard::placement {

/// Rounds that a run of the first micro-batches of a step leaves out.
struct RoundsLeftOut {
  Time longer{};  ///< what they add to the step
  /// Rounds that the run shows, on the ranks whose passes would end last, and how often more that
  /// span happens in the step.
  Time from{}, to{};
  double times = 0;
  /// Between the two halves of that span, over its length: the most of all ranks.
  double difference = 0;
};

/// In the middle of a step every rank repeats itself: a round is one micro-batch, or with
/// interleaved stages one for each stage. So a step of M micro-batches takes as long as its first m
/// and n = (M - m) / round further rounds:
///
///     T(M) = T(m) + max_r (E_r + n P_r) - max_r E_r
///
/// E_r is when the passes of rank r end in the run of m, P_r the length of its rounds there, by the
/// ends of its backward passes before its last forward pass.
///
/// Example: 2 stages, passes of 1 ms forward and 2 ms backward. After its first forward passes each
/// stage does one forward and one backward pass in turn: P = 3 ms. 8 micro-batches take
/// (8 + 1) x 3 ms = 27 ms, 100 take 27 ms + 92 x 3 ms = 303 ms.
///
/// Nothing where the run shows no repetition: too few micro-batches, schedules without a middle
/// (gpipe, dualpipe).
[[nodiscard]] std::optional<RoundsLeftOut> rounds_left_out(const Strategy& strategy,
                                                           const collectives::Workload& workload,
                                                           const collectives::WorkloadRun& run,
                                                           int micro_batches_left_out);

/// The fewest micro-batches of a step that show its rounds; 0: none do.
[[nodiscard]] int micro_batches_for_rounds(const Strategy& strategy);

}  // namespace railyard::placement
