#pragma once

#include <cstddef>
#include <optional>

#include "collectives/schedule/pace.hpp"
#include "collectives/schedule/schedule.hpp"
#include "core/units.hpp"
#include "sim/flow/stage.hpp"

namespace railyard::sim {

/// The limits that software sets for a stage of a channel (docs/models/flow.md): its latency, and
/// the time of its bytes at the full rate.
struct StagePace {
  Time latency;
  double seconds = 0;                                      ///< of the bytes
  topology::LinkKind inside = topology::LinkKind::nvlink;  ///< see collectives::Pace

  /// Rate in B/s of a stream that sends `bytes` in that time; no limit if there is no time.
  [[nodiscard]] double rate(double bytes) const;
};

/// The part of its task's pace for each of `stages` stages of a channel.
[[nodiscard]] std::optional<StagePace> stage_pace(const std::optional<collectives::Pace>& pace,
                                                  std::size_t stages);

/// Bytes that determine the rate of single transfers: those of a connection if connections work
/// side by side (rings, pipelines, independent transfers), those of the busiest sender if steps
/// follow each other. Reads every transfer.
[[nodiscard]] double paced_bytes(const collectives::Schedule& schedule, std::size_t channel,
                                 const Stage& stage);

}  // namespace railyard::sim
