#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "collectives/nccl/tuner/tuning_fabric.hpp"

namespace railyard::collectives::nccl {

/// A range of sizes of one collective with one algorithm and protocol.
struct TunerRange {
  Kind kind{};
  std::uint64_t from = 0;  ///< bytes, as NCCL's tuners count them: of the whole buffer
  std::uint64_t to = 0;    ///< the last size
  std::string algorithm;
  Protocol protocol{};
  int channels = 0;         ///< that NCCL would launch for it
  std::string nccl_choice;  ///< "nvls_tree simple", or "" where it is the same
  /// How much longer NCCL's choice takes on the fabric: the minimum over the range.
  double gain_pct = 0;
};

/// The best choices for every size of NCCL's five tuned collectives on a fabric.
struct TunerPlan {
  int ranks = 0;
  int nodes = 0;
  std::vector<TunerRange> ranges;  ///< by collective, then size, without gaps
};

/// Called before each step of a plan.
using TunerProgress = std::function<void(Kind, Bytes)>;

/// At each of `sizes` (ascending) the fastest choice on the fabric among those that beat NCCL's by
/// both times and the fabric's least gain; NCCL's choice where none does. Between two sizes the
/// choice changes in the middle.
[[nodiscard]] TunerPlan plan_tuning(const TuningFabric& fabric, std::span<const Bytes> sizes,
                                    const TunerProgress& progress);

/// The number of steps of a plan.
[[nodiscard]] std::size_t tuning_steps(std::span<const Bytes> sizes);

}  // namespace railyard::collectives::nccl
