#pragma once

#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "collectives/nccl/timing/fitted_time.hpp"
#include "collectives/schedule/pace.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::collectives::nccl {

/// The pace of schedules by NCCL's fitted time model (docs/models/nccl_time.md):
///
///     total = (launch cost + launch) + (steps + fill) + bytes / bandwidth
///
/// The launch cost is the overhead of the benchmark's launch mode (call_time). Thread-safe.
class FittedPace {
 public:
  /// The cluster must outlive it.
  FittedPace(const topology::Cluster& cluster, FittedTime::Options options,
             const topology::LaunchCost& launch);

  /// The pace of a schedule on GPUs. An algorithm of NCCL has a fitted pace. A symmetric kernel
  /// uses NCCL's own estimate (with a note). Other schedules have no pace (with a note).
  [[nodiscard]] std::optional<Pace> pace(const Schedule& schedule);
  /// The same without a schedule, and without a note.
  [[nodiscard]] std::optional<Pace> pace(const Group& group, const NamedAlgorithm& named);

  /// The rate that ports and links between switches reach / their payload rate: the fitted
  /// efficiency divided by the payload fraction of a packet; at most 1.
  [[nodiscard]] double network_share() const { return network_share_; }
  /// Notes on schedules that the fitted model does not cover.
  [[nodiscard]] std::set<std::string> notes() const;
  /// The names of the parameter sets: "hopper, infiniband".
  [[nodiscard]] const std::string& parameters() const { return parameters_; }

 private:
  [[nodiscard]] Pace pace(const Group& group, const FittedTime::MachineQuery& asked) const;
  /// A link of the kind that limits the bytes; none() if no link does.
  [[nodiscard]] LinkId link_of(const TimeTerms& terms, const Group& group) const;

  const topology::Cluster& cluster_;
  FittedTime model_;
  topology::LaunchCost launch_;
  double network_share_ = 1;
  std::string parameters_;
  mutable std::mutex mutex_;  ///< guards the model's communicators and the notes
  std::set<std::string> notes_;
};

}  // namespace railyard::collectives::nccl
