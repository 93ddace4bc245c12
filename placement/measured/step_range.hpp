#pragma once

#include <optional>
#include <string>
#include <vector>

#include "collectives/nccl/timing/range/prediction_ranges.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::placement {

/// The shipped 80 % ranges of predicted training steps on a cluster. With several types of GPU the
/// one with the weakest evidence counts.
class StepRange {
 public:
  /// Throws InputError if the shipped ranges cannot be read.
  explicit StepRange(const topology::Cluster& cluster);

  /// Whether the generation of one of its GPU types has no measured step.
  [[nodiscard]] bool is_nominal() const { return !notes_.empty(); }
  /// The 80 % range of a step on `gpus` GPUs, in per cent of its predicted time.
  [[nodiscard]] std::optional<double> range_pct(int gpus) const;
  /// A sentence for each type of GPU without a measured step.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  collectives::nccl::PredictionRanges ranges_;
  collectives::nccl::RangeQuery query_;
  int gpus_per_node_ = 1;
  std::vector<std::string> notes_{};
};

}  // namespace railyard::placement
