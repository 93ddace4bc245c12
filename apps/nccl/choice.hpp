#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "apps/nccl/nccl_environment.hpp"
#include "collectives/algorithms/algorithm.hpp"
#include "collectives/nccl/tuning/tuning_model.hpp"
#include "collectives/schedule/executor.hpp"
#include "collectives/schedule/group.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::collectives::nccl {
class CommunicatorSearch;
}

namespace railyard::apps {

/// What is asked, and what limits the ways to do it.
struct ChoiceRequest {
  std::shared_ptr<const collectives::Group> group;
  collectives::Collective collective;
  std::string algorithm = "auto";                 ///< or a name
  std::optional<collectives::Protocol> protocol;  ///< not set: any
  std::optional<int> channels;
};

/// One way to do it, and what it costs by the model that chooses: NCCL's own where NCCL chooses by
/// time, the analytic engine else.
struct Candidate {
  std::string algorithm;
  collectives::Protocol protocol{};
  int channels = 0;  ///< that NCCL would launch, or that the schedule has
  Bytes bytes;
  double latency_us = 0;      ///< what it takes however small the message is
  double bandwidth_GBps = 0;  ///< of the message, on top of that; 0 for one that cannot run
  double time_us = 0;
  std::string bound_by;
  std::string why_not;  ///< empty: allowed
  std::string
      no_schedule;  ///< why NCCL's way cannot be run here, which has nothing to do with NCCL
  bool chosen = false;
};

/// Chooses algorithms on a cluster as NCCL does: by its tuning model on its searched graphs
/// (docs/models/nccl_tuning.md), all-to-all and send_recv by rule.
class Chooser {
 public:
  /// The cluster and the engine, an analytic one, must outlive it.
  Chooser(const topology::Cluster& cluster, collectives::Executor& analytic,
          NcclEnvironment environment);
  Chooser(Chooser&&) noexcept;
  ~Chooser();
  /// For a machine that runs no NCCL: the analytic engine's fastest.
  [[nodiscard]] static Chooser without_nccl(const topology::Cluster& cluster,
                                            collectives::Executor& analytic);

  /// Every algorithm and protocol of NCCL's for the kind of collective, in its order, with its
  /// choice; or the ways of the one algorithm that is asked for by name.
  [[nodiscard]] std::vector<Candidate> candidates(const ChoiceRequest& request);

  /// The schedule to run: the choice among candidates(), or where no schedule of ours does that
  /// here the best one of the others, with a note. An algorithm that is asked for by name is run
  /// where the cluster can, even where NCCL has none or would not take it. Throws InputError where
  /// none can run, with the reason of each.
  [[nodiscard]] collectives::Schedule chosen_schedule(const ChoiceRequest& request);

  /// What chosen_schedule could not do as NCCL would: "NCCL would take nvls simple, ...".
  [[nodiscard]] const std::set<std::string>& notes() const { return notes_; }

  /// NCCL's table for a group; its protocols all allowed that are asked for by name.
  [[nodiscard]] const collectives::nccl::TuningModel& model(
      const collectives::Group& group, std::optional<collectives::Protocol> protocol = {});

  /// The all-to-all that NCCL does, by rule: "rail_pxn", "direct" or "rail_direct".
  [[nodiscard]] std::string_view all_to_all_rule(const collectives::Group& group) const;

  [[nodiscard]] const topology::Cluster& cluster() const { return cluster_; }
  [[nodiscard]] collectives::Executor& analytic() { return analytic_; }
  [[nodiscard]] const NcclEnvironment& environment() const { return environment_; }
  [[nodiscard]] bool has_nccl() const { return has_nccl_; }

 private:
  const topology::Cluster& cluster_;
  collectives::Executor& analytic_;
  NcclEnvironment environment_;
  std::unique_ptr<collectives::nccl::CommunicatorSearch> search_;
  bool has_nccl_ = true;
  std::set<std::string> notes_;
  struct Known;
  std::vector<std::unique_ptr<const Known>> known_;
};

}  // namespace railyard::apps
