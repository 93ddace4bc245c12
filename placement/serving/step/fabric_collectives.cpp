#include "placement/serving/step/fabric_collectives.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace railyard::placement::serving {

FabricCollectives::FabricCollectives(std::shared_ptr<const placement::Engine> engine)
    : engine_(std::move(engine)), runs_(std::make_shared<GroupRuns>(*engine_)) {}

Time FabricCollectives::time(const GroupCollective& c) const {
  if (c.shape.size < 2 || !(c.bytes > 0)) return Time();
  std::vector<Rank> gpus;
  for (std::uint32_t i = 0; i < c.shape.size; ++i) gpus.emplace_back(i);
  const GpuGroups group({std::move(gpus)});
  const auto seconds = [&](double bytes) {
    return runs_->alone({c.kind, group, bytes}).done.front().seconds();
  };
  constexpr double kLeast = 4096;
  const double low = std::exp2(std::floor(std::log2(std::max(kLeast, c.bytes))));
  const double at_low = seconds(low);
  if (c.bytes <= low) return Time::from_seconds(at_low);
  return Time::from_seconds(at_low + (c.bytes / low - 1) * (seconds(2 * low) - at_low));
}

}  // namespace railyard::placement::serving
