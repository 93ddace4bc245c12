#pragma once

#include <span>
#include <vector>

#include "placement/cost/cost_context.hpp"

namespace railyard::placement {

/// Times of collectives on a stage whose replicas are on several types of GPU. A collective that
/// connects replicas takes the time of the slowest type; all others the time of the stage's own
/// type.
class RingOverTypes final : public CommunicationModel {
 public:
  /// All arguments must outlive it.
  RingOverTypes(const CostContext& context, const ByType<GroupShapes>& shapes, int own,
                std::span<const int> types)
      : context_(context), shapes_(shapes), own_(own), types_(types) {}

  [[nodiscard]] Time time(const GroupCollective& collective) const override;

 private:
  const CostContext& context_;
  const ByType<GroupShapes>& shapes_;
  int own_;
  std::span<const int> types_;
};

/// Types that hold stage `stage` in any class, sorted and distinct; for stage 0 also those of the
/// last stage, with which it sums embedding gradients.
[[nodiscard]] std::vector<int> types_of_stage(const Strategy& strategy, int stage);

}  // namespace railyard::placement
