#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "collectives/nccl/choice/chosen_way.hpp"
#include "collectives/nccl/search/search.hpp"
#include "collectives/schedule/schedule.hpp"
#include "topology/routing/router.hpp"

namespace railyard::collectives::nccl {

/// The time model on the communicators of one cluster: each is searched once. Not for several
/// threads at a time.
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
  /// What a group of ranks runs on; nothing where its ranks are not GPUs, or only one.
  [[nodiscard]] const Machine* machine(const Group& group);

  /// A way of NCCL's to do a collective, with the machine that it is done on; nothing where it is
  /// not NCCL's, or there is no machine.
  struct Way {
    const Machine& machine;
    TimeQuery query;
  };
  [[nodiscard]] std::optional<Way> way(const Group& group, const NamedWay& way);
  /// The way that a schedule goes.
  [[nodiscard]] std::optional<Way> way(const Schedule& schedule);

 private:
  struct Known;
  const Known* known(const Group& group);

  const topology::Cluster& cluster_;
  Options options_;
  CommunicatorSearch search_;
  topology::Router router_;
  std::vector<std::unique_ptr<const Known>> known_;
};

}  // namespace railyard::collectives::nccl
