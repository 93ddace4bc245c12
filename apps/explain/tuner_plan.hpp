#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "apps/explain/tuning_ground.hpp"
#include "apps/output/rows.hpp"

namespace railyard::apps {

/// Sizes of one collective that are to be done in one way.
struct TunerRange {
  collectives::Kind kind{};
  std::uint64_t from = 0;  ///< bytes, as NCCL's tuners count them: of the whole buffer
  std::uint64_t to = 0;    ///< the last one
  std::string algorithm;
  collectives::Protocol protocol{};
  int channels = 0;         ///< that NCCL would launch for it
  std::string nccl_choice;  ///< "nvls_tree simple", or "" where it is the same
  double gain_pct = 0;      ///< how much longer NCCL's choice takes on the fabric, at the least
};

/// What is best for every size of NCCL's five collectives on a fabric.
struct TunerPlan {
  int ranks = 0;
  int nodes = 0;
  std::vector<TunerRange> ranges;  ///< by collective, then size; every size of each is covered
};

/// At each of `sizes` (ascending) the fastest way on the ground of those that beat NCCL's choice
/// there, by both of the ground's judges and its least gain; NCCL's choice where none does. Between
/// two sizes the way changes in the middle. `progress` is called for each step.
[[nodiscard]] TunerPlan plan_tuning(const TuningGround& ground, std::span<const Bytes> sizes,
                                    const std::function<void(std::string_view)>& progress);

/// How many steps that has.
[[nodiscard]] std::size_t tuning_steps(std::span<const Bytes> sizes);

/// For the result: the ranges.
[[nodiscard]] RowTable tuner_rows(const TunerPlan& plan);

/// A configuration of NCCL's example tuner: every size of every collective has a row with explicit
/// channels, since it takes 1 channel for what has none (docs/models/nccl_tuning.md).
[[nodiscard]] std::string tuner_csv(const TunerPlan& plan, const std::string& about);

/// What libnccl-tuner-railyard.so reads: the ranges where NCCL would choose otherwise, all else is
/// left to NCCL.
[[nodiscard]] std::string tuner_json(const TunerPlan& plan, const std::string& about);

}  // namespace railyard::apps
