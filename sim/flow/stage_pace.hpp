#pragma once

#include <cstddef>
#include <optional>

#include "collectives/schedule/pace.hpp"
#include "collectives/schedule/schedule.hpp"
#include "core/units.hpp"
#include "sim/flow/stage.hpp"

namespace railyard::sim {

/// What a stage of a channel is held back to by the software that runs it (docs/models/flow.md):
/// its latency, and the time that its bytes take at the full rate.
struct StagePace {
  Time latency;
  double seconds = 0;                                      ///< of the bytes
  topology::LinkKind inside = topology::LinkKind::nvlink;  ///< see collectives::Pace

  /// Rate in B/s of a stream of which `bytes` are to flow in that time; no limit without a time.
  [[nodiscard]] double rate(double bytes) const;
};

/// The share that each of `stages` stages of a channel has in the pace of its task.
[[nodiscard]] std::optional<StagePace> stage_pace(const std::optional<collectives::Pace>& pace,
                                                  std::size_t stages);

/// Bytes that set the rate of single transfers: of a connection where connections work side by side
/// (rings, pipelines, independent transfers), of the busiest sender where steps follow each other.
/// Reads every transfer.
[[nodiscard]] double paced_bytes(const collectives::Schedule& schedule, std::size_t channel,
                                 const Stage& stage);

}  // namespace railyard::sim
