#pragma once

#include <string>
#include <vector>

#include "collectives/nccl/timing/fit/class_fit.hpp"

namespace railyard::collectives::nccl {

/// Median absolute errors of all rows in per cent, with the parameters of the files and the fitted
/// ones.
struct MedianErrors {
  double before = 0, after = 0;
};
[[nodiscard]] MedianErrors median_errors(const Predictions& predictions,
                                         const std::vector<ClassParameter>& parameters);

/// Links that were fitted as slower than 0.9 of their start value, each as a text with what is more
/// likely: fewer GPUs, NICs or nodes than the cluster file has. Machines of one kind differ by 2 to
/// 10 % (docs/models/nccl_time.md); a NIC of eight that is down takes an eighth. There must be a
/// predicted row.
[[nodiscard]] std::vector<std::string> slow_links(const Predictions& predictions,
                                                  const std::vector<ClassParameter>& parameters);

}  // namespace railyard::collectives::nccl
