#pragma once

#include <span>
#include <vector>

#include "core/units.hpp"

namespace railyard::placement {

/// Equal replicas that take `each` a micro-batch and `once` beside, per step.
struct ReplicaLoad {
  Time each{};
  Time once{};
  int replicas = 1;
};

/// Micro-batches of the replicas of a class; `fewer` of them have one less.
struct BatchShare {
  int micro_batches = 0;
  int fewer = 0;
  bool operator==(const BatchShare&) const = default;
};

/// Deals `micro_batches` to replicas, at least one to each, so that the last is done earliest:
/// the least T with sum of n · floor((T - once) / each) >= micro_batches, found by halving. Empty
/// where there are fewer micro-batches than replicas.
[[nodiscard]] std::vector<BatchShare> split_batches(std::span<const ReplicaLoad> classes,
                                                    int micro_batches);

}  // namespace railyard::placement
