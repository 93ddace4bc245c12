#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "apps/choice.hpp"
#include "apps/rows.hpp"

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

/// What a plan is made with. NCCL's estimates know nothing of the fabric; what it costs a way is
/// how much longer a flow simulation takes on it than on one switch for all NICs.
struct TuningGround {
  Chooser& chooser;
  std::span<const std::unique_ptr<collectives::Executor>>
      fabrics;                   ///< one per seed; the mean counts
  collectives::Executor& ideal;  ///< the same nodes on one switch
  std::shared_ptr<const collectives::Group> group;
};

/// Takes the way with the least (NCCL's estimate x slowdown on the fabric) at each of `sizes`
/// (ascending), but NCCL's choice unless another is better by more than 3 %. Between two sizes the
/// way changes in the middle. Ways that NCCL holds four times as slow as its choice are left out.
/// `progress` is called for each step.
[[nodiscard]] TunerPlan plan_tuning(const TuningGround& ground, std::span<const Bytes> sizes,
                                    const std::function<void(std::string_view)>& progress);

/// The cluster with one switch that all NICs are on, in place of its fabric.
[[nodiscard]] topology::Cluster on_one_switch(const topology::Cluster& cluster);

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
