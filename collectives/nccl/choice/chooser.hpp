#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "collectives/nccl/choice/choice_request.hpp"
#include "collectives/nccl/tuning/registered_estimates.hpp"
#include "collectives/nccl/tuning/tuning_model.hpp"
#include "collectives/schedule/executor.hpp"
#include "collectives/schedule/schedule.hpp"

namespace railyard::collectives::nccl {

class CommunicatorSearch;

/// Chooses algorithms on a cluster as NCCL does: with NCCL's tuning model, whose input is the
/// result of NCCL's graph search (docs/models/nccl_tuning.md). all_to_all and send_recv follow
/// fixed rules.
class Chooser {
 public:
  /// The analytic engine `analytic` computes costs that NCCL's tuning model does not cover. The
  /// cluster and the engine must outlive the chooser.
  Chooser(const topology::Cluster& cluster, Executor& analytic, NcclEnvironment environment);
  Chooser(Chooser&&) noexcept;
  ~Chooser();
  /// For ranks that do not use NCCL: chooses the algorithm that is fastest in the analytic engine.
  [[nodiscard]] static Chooser without_nccl(const topology::Cluster& cluster, Executor& analytic);

  /// All algorithms and protocols that NCCL supports for the collective, or only those of the
  /// requested algorithm, in NCCL's order. NCCL's choice is marked.
  [[nodiscard]] std::vector<AlgorithmChoice> choices(const ChoiceRequest& request);

  /// The schedule to run: NCCL's choice or, if no schedule supports it, the fastest of the other
  /// choices (with a note). A requested algorithm is used if the cluster can run it, even if NCCL
  /// does not support or would not choose it. If no algorithm can run, throws InputError with the
  /// reason for each.
  [[nodiscard]] Schedule chosen_schedule(const ChoiceRequest& request);

  /// The symmetric kernel or copy-engine collective that NCCL uses on registered buffers. Nothing
  /// if NCCL uses an ordinary algorithm, or if the request sets algorithm, protocol or channels.
  [[nodiscard]] std::optional<SymmetricEstimate> choice_for_registered(
      const ChoiceRequest& request);

  /// Notes on schedules of chosen_schedule() that differ from NCCL's choice: "NCCL would choose
  /// nvls simple, ...".
  [[nodiscard]] const std::set<std::string>& notes() const { return notes_; }

  /// NCCL's tuning table for a group. A `protocol` is enabled for all collectives.
  [[nodiscard]] const TuningModel& model(const Group& group, std::optional<Protocol> protocol = {});

  /// The algorithm that NCCL uses for all_to_all, by rule: "rail_pxn", "direct" or "rail_direct".
  [[nodiscard]] std::string_view all_to_all_rule(const Group& group) const;

  [[nodiscard]] ChoiceSetting setting() const { return {cluster_, environment_}; }
  [[nodiscard]] const topology::Cluster& cluster() const { return cluster_; }
  [[nodiscard]] const NcclEnvironment& environment() const { return environment_; }

 private:
  [[nodiscard]] bool is_tuned_here(const ChoiceRequest& request) const;
  [[nodiscard]] ChoiceRequest with_p2p_channels(const ChoiceRequest& request);
  void mark_rule(const ChoiceRequest& request, std::vector<AlgorithmChoice>& choices) const;

  const topology::Cluster& cluster_;
  Executor& analytic_;
  NcclEnvironment environment_;
  std::unique_ptr<CommunicatorSearch> search_;
  bool uses_nccl_ = true;
  std::set<std::string> notes_;
  struct Known;
  /// Cache of groups, by a hash of ranks and protocol, because a placement has thousands of groups.
  std::unordered_multimap<std::uint64_t, std::unique_ptr<const Known>> known_;
};

}  // namespace railyard::collectives::nccl
