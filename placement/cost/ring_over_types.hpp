#pragma once

#include <span>
#include <vector>

#include "placement/cost/cost_context.hpp"

namespace railyard::placement {

/// Prices collectives of a stage whose replicas lie on several types of GPU: those that connect
/// replicas take as long as on the slowest of the types, all others as on their own.
class RingOverTypes final : public CommunicationModel {
 public:
  /// Everything must outlive it.
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

/// The types that hold stage `stage` in any class, and for the first stage those of the last, with
/// which it sums embeddings; in order, once each.
[[nodiscard]] std::vector<int> types_of_stage(const Strategy& strategy, int stage);

}  // namespace railyard::placement
