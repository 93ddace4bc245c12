#pragma once

#include <span>
#include <vector>

#include "core/units.hpp"

namespace railyard::placement {

/// Equal replicas whose step takes m · each + once for m micro-batches.
struct ReplicaLoad {
  Time each{};
  Time once{};
  int replicas = 1;
};

/// Micro-batches per replica of a class; `fewer` replicas have one less.
struct BatchShare {
  int micro_batches = 0;
  int fewer = 0;
  bool operator==(const BatchShare&) const = default;
};

/// Assigns micro-batches to replicas, at least one each, so that the latest finish time T is
/// smallest: the least T with sum of n · floor((T - once) / each) >= micro_batches, by bisection.
/// Example: 12 micro-batches on two replicas that take 1 s and 2 s per micro-batch: 8 and 4, T = 8
/// s. Empty if there are fewer micro-batches than replicas.
[[nodiscard]] std::vector<BatchShare> split_batches(std::span<const ReplicaLoad> classes,
                                                    int micro_batches);

}  // namespace railyard::placement
