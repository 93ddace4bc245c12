#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collectives/schedule/schedule.hpp"

namespace railyard::sim {

/// What a channel does between two points at which it waits for itself: either a steady state that
/// is one stream (rings, pipelines), or independent transfers, or transfers that follow the replay
/// rule one by one. Independent transfers of equal size that are all that runs are `together`.
struct Stage {
  enum class Kind : std::uint8_t { steady, independent, together, replayed };
  Kind kind = Kind::replayed;
  std::span<const collectives::Loop> loops;  ///< of the channel, which must outlive it
};

/// Transfers of all iterations of a stage.
[[nodiscard]] std::uint64_t transfers_of(const Stage& stage);
/// The streams that they are in a flow simulation.
[[nodiscard]] std::uint64_t streams_of(const Stage& stage);

/// Cuts a channel into stages, in order: neighbouring coupled loops over the same connections are
/// one stage (reduce-scatter and all-gather of a ring), neighbouring loops of other kinds likewise.
[[nodiscard]] std::vector<Stage> stages(const collectives::Channel& channel);
/// The whole channel as one stage of single transfers.
[[nodiscard]] std::vector<Stage> expanded_stages(const collectives::Channel& channel);

[[nodiscard]] constexpr bool is_coupled(collectives::Coupling coupling) {
  return coupling == collectives::Coupling::ring || coupling == collectives::Coupling::pipeline;
}

}  // namespace railyard::sim
