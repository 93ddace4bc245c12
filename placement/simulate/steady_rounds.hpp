#pragma once

#include <optional>

#include "collectives/workload/workload_result.hpp"
#include "core/units.hpp"
#include "placement/strategy/strategy.hpp"

namespace railyard::placement {

/// Rounds of a step that were not simulated, and the time that they add.
struct RoundsLeftOut {
  Time longer{};  ///< time that they add to the step
  /// Span of the simulated rounds on the ranks that would end last, and how many more times it
  /// occurs in the step.
  Time from{}, to{};
  double times = 0;
  /// Relative difference of the two halves of that span: the largest over all ranks.
  double difference = 0;
};

/// Extrapolates a step from its first micro-batches. In the middle of a step every rank repeats
/// itself: a round is one micro-batch, or with interleaved stages one per stage. A step of M
/// micro-batches therefore takes the time of its first m and n = (M - m) / round further rounds:
///
///     T(M) = T(m) + max_r (E_r + n P_r) - max_r E_r
///
/// E_r is the end of the passes of rank r in the run of m micro-batches. P_r is the length of its
/// rounds there, from the ends of its backward passes before its last forward pass.
///
/// Example: 2 stages, passes of 1 ms forward and 2 ms backward. After its first forward passes each
/// stage does one forward and one backward pass in turn: P = 3 ms. 8 micro-batches take
/// (8 + 1) x 3 ms = 27 ms, 100 take 27 ms + 92 x 3 ms = 303 ms.
///
/// Nothing if the run shows no repetition: too few micro-batches, or schedules without a steady
/// state (gpipe, dualpipe).
[[nodiscard]] std::optional<RoundsLeftOut> rounds_left_out(const Strategy& strategy,
                                                           const collectives::Workload& workload,
                                                           const collectives::WorkloadRun& run,
                                                           int micro_batches_left_out);

/// The fewest micro-batches with which a step shows its rounds; 0 if the schedule has none.
[[nodiscard]] int micro_batches_for_rounds(const Strategy& strategy);

}  // namespace railyard::placement
