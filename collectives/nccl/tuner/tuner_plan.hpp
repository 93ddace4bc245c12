#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "collectives/nccl/tuner/tuning_fabric.hpp"

namespace railyard::collectives::nccl {

/// A range of sizes of one collective for which one algorithm and protocol is best.
struct TunerRange {
  Kind kind{};
  std::uint64_t from = 0;  ///< smallest size in bytes; as in NCCL's tuners, of the whole buffer
  std::uint64_t to = 0;    ///< largest size in bytes
  std::string algorithm;
  Protocol protocol{};
  int channels = 0;         ///< channels that NCCL would launch for it
  std::string nccl_choice;  ///< NCCL's own choice, "nvls_tree simple"; "" if it is the same
  /// How much longer NCCL's choice takes on the fabric, in per cent: the minimum over the range.
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

/// Determines the best choice at each of `sizes` (ascending). A choice replaces NCCL's only if it
/// is faster by both ChoiceTimes, and by at least the fabric's least gain. Of these the fastest is
/// used; if there is none, NCCL's choice remains. Between two sizes the choice changes in the
/// middle.
[[nodiscard]] TunerPlan plan_tuning(const TuningFabric& fabric, std::span<const Bytes> sizes,
                                    const TunerProgress& progress);

/// The number of steps of a plan.
[[nodiscard]] std::size_t tuning_steps(std::span<const Bytes> sizes);

}  // namespace railyard::collectives::nccl
