#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "collectives/nccl/search/search.hpp"
#include "collectives/nccl/timing/time_queries.hpp"
#include "collectives/nccl/tuning/registered_estimates.hpp"
#include "collectives/schedule/schedule.hpp"
#include "topology/routing/router.hpp"

namespace railyard::collectives::nccl {

/// The fitted time model for the communicators of one cluster. Each communicator is searched once.
/// Not thread-safe.
///
/// Limits on channels (NCCL_MAX_NCHANNELS and similar) do not change the machine. They are the
/// number of channels of a query, like --channels.
class FittedTime {
 public:
  struct Options {
    SearchEnvironment search{};
    TuningSettings tuning{};
    P2pSettings sends{};
    topology::Timings timings{};
  };
  /// The cluster must outlive it.
  FittedTime(const topology::Cluster& cluster, Options options);
  FittedTime(FittedTime&&) noexcept;
  ~FittedTime();

  [[nodiscard]] const topology::Timings& timings() const { return options_.timings; }
  /// The machine of a group of ranks; nullptr if the ranks are not GPUs, or there is only one.
  [[nodiscard]] const Machine* machine(const Group& group);

  /// A query of the time model with the machine of its group.
  struct MachineQuery {
    const Machine& machine;
    TimeQuery query;
  };
  /// Empty if NCCL does not support the algorithm, or the group has no machine.
  [[nodiscard]] std::optional<MachineQuery> query(const Group& group, const NamedAlgorithm& named);
  /// The query of a schedule's algorithm, protocol and channels.
  [[nodiscard]] std::optional<MachineQuery> query(const Schedule& schedule);
  /// NCCL's estimate for a schedule named after a symmetric kernel or a copy-engine collective;
  /// empty for others.
  [[nodiscard]] std::optional<SymmetricEstimate> registered(const Schedule& schedule);

 private:
  struct Known;
  const Known* known(const Group& group);

  const topology::Cluster& cluster_;
  Options options_;
  CommunicatorSearch search_;  ///< without limits on channels, as the parameters were fitted
  std::optional<CommunicatorSearch> limited_;  ///< with the limits on channels, if there are any
  topology::Router router_;
  std::vector<std::unique_ptr<const Known>> known_;
};

}  // namespace railyard::collectives::nccl
