#include "placement/capacity/goodput/time_parts.hpp"

namespace railyard::placement {

std::vector<TimePart> time_parts(const GoodputEstimate& estimate) {
  std::vector<TimePart> parts;
  const auto add = [&](const std::string& name, double seconds,
                       const std::optional<CauseWaste>& waste) {
    parts.push_back({.name = name,
                     .seconds = seconds,
                     .share = seconds / estimate.elapsed.mean,
                     .waste = waste});
  };
  add("training", estimate.training(), std::nullopt);
  add("checkpoints", estimate.checkpoint, std::nullopt);
  for (const CauseWaste& cause : estimate.causes)
    if (cause.interruptions > 0) add(cause.name, cause.total(), cause);
  return parts;
}

}  // namespace railyard::placement
