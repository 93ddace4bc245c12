#pragma once

#include <optional>
#include <string>
#include <vector>

#include "collectives/nccl/timing/range/prediction_ranges.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::placement {

/// The shipped 80 % ranges of predicted training steps on a cluster. Of several types of GPU the
/// one with the worst evidence decides.
class StepRange {
 public:
  /// Throws InputError where the shipped ranges cannot be read.
  explicit StepRange(const topology::Cluster& cluster);

  /// Whether no measured step ran on the generation of one of the types.
  [[nodiscard]] bool is_nominal() const { return !notes_.empty(); }
  /// The range of a step on so many GPUs, in per cent of its predicted time.
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
