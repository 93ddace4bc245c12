#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collectives/schedule/schedule.hpp"

namespace railyard::sim {

/// The part of a channel between two points at which all of the channel waits: a steady state that
/// is one stream (rings, pipelines), independent transfers, or transfers that follow the replay
/// rule one by one. Independent transfers of equal size that run alone are `together`.
struct Stage {
  enum class Kind : std::uint8_t { steady, independent, together, replayed };
  Kind kind = Kind::replayed;
  std::span<const collectives::Loop> loops;  ///< of the channel, which must outlive it
};

/// Number of transfers of all iterations of a stage.
[[nodiscard]] std::uint64_t transfers_of(const Stage& stage);
/// Number of their streams in a flow simulation.
[[nodiscard]] std::uint64_t streams_of(const Stage& stage);

/// Cuts a channel into stages, in order. Neighbouring coupled loops over the same connections form
/// one stage (reduce-scatter and all-gather of a ring), and so do neighbouring loops of other
/// kinds.
[[nodiscard]] std::vector<Stage> stages(const collectives::Channel& channel);
/// The whole channel as one stage of single transfers.
[[nodiscard]] std::vector<Stage> expanded_stages(const collectives::Channel& channel);

[[nodiscard]] constexpr bool is_coupled(collectives::Coupling coupling) {
  return coupling == collectives::Coupling::ring || coupling == collectives::Coupling::pipeline;
}

}  // namespace railyard::sim
