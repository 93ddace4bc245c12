#include "sim/flow/stage_pace.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <unordered_map>

namespace railyard::sim {

double StagePace::rate(double bytes) const {
  return seconds > 0 ? bytes / seconds : std::numeric_limits<double>::infinity();
}

std::optional<StagePace> stage_pace(const std::optional<collectives::Pace>& pace,
                                    std::size_t stages) {
  if (!pace) return std::nullopt;
  const auto count = static_cast<std::int64_t>(std::max<std::size_t>(stages, 1));
  return StagePace{.latency = Time::picoseconds(pace->latency.picoseconds() / count),
                   .seconds = pace->bytes.seconds() / static_cast<double>(count),
                   .inside = pace->inside};
}

double paced_bytes(const collectives::Schedule& schedule, std::size_t channel, const Stage& stage) {
  std::unordered_map<std::uint64_t, double> sums;
  double most = 0;
  for (const auto& loop : stage.loops) {
    const bool in_turn = loop.coupling == collectives::Coupling::exchange;
    for (std::uint64_t k = 0; k < loop.repeat; ++k)
      for (const auto& step : loop.steps)
        for (std::uint64_t i = 0; i < step.size(); ++i) {
          const auto transfer = step.at(i, k);
          const std::uint64_t to = in_turn ? 0xffffffff : transfer.destination;
          double& sum = sums[static_cast<std::uint64_t>(transfer.source) << 32 | to];
          sum += static_cast<double>(schedule.bytes(channel, transfer).count());
          most = std::max(most, sum);
        }
  }
  return most;
}

}  // namespace railyard::sim
