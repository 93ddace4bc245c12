#pragma once

#include <memory>
#include <optional>
#include <span>

#include "apps/nccl/choice.hpp"
#include "apps/sim/timing.hpp"
#include "collectives/schedule/executor.hpp"

namespace railyard::apps {

/// How long a way takes on the fabric, us, by two judges that each know something of its software.
struct WayTimes {
  double measured = 0;  ///< by the fitted model; nominal timing: as NCCL has it
  double nccl = 0;      ///< by NCCL's own estimate

  /// By both, and by `gain` (1.1: a tenth) of the first.
  [[nodiscard]] bool beats(const WayTimes& other, double gain) const {
    return measured * gain < other.measured && nccl < other.nccl;
  }
};

/// What ways to do a collective are timed on when a tuning file is made
/// (docs/models/nccl_tuning.md, tuning files): flow simulation of the user's fabric.
///
/// With the fitted time model a simulated way runs by its pace: that is its first time, and its
/// time over its pace is what the fabric adds to NCCL's estimate, the second. With nominal timing
/// (`timing` is nullptr) NCCL's estimate is all that is known of software, and the fabric's part is
/// how much longer links and overheads alone take on it than on one switch for all NICs.
struct TuningGround {
  Chooser& chooser;
  std::span<const std::unique_ptr<collectives::Executor>>
      fabrics;                             ///< one per seed; the mean counts
  FittedTiming* timing = nullptr;          ///< by which the engines time
  collectives::Executor* ideal = nullptr;  ///< nominal timing: the same nodes on one switch
  std::shared_ptr<const collectives::Group> group;

  /// By how much another way must be faster than NCCL's choice to be taken.
  [[nodiscard]] double least_gain() const;

  /// Times that the simulation of a way does not come below; nothing where the model does not know
  /// the way, so that it cannot be compared.
  [[nodiscard]] std::optional<WayTimes> floor(const ChoiceRequest& asked,
                                              const Candidate& way) const;

  /// The way's times on the fabric. Requires a floor.
  [[nodiscard]] WayTimes times(const ChoiceRequest& asked, const Candidate& way) const;
};

/// The cluster with one switch that all NICs are on, in place of its fabric.
[[nodiscard]] topology::Cluster on_one_switch(const topology::Cluster& cluster);

}  // namespace railyard::apps
