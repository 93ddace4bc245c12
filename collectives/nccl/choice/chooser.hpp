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

/// Chooses algorithms on a cluster as NCCL does: by its tuning model on its searched graphs
/// (docs/models/nccl_tuning.md), all_to_all and send_recv by rule.
class Chooser {
 public:
  /// `analytic`, an analytic engine, costs what NCCL's tuning model does not. The cluster and the
  /// engine must outlive the chooser.
  Chooser(const topology::Cluster& cluster, Executor& analytic, NcclEnvironment environment);
  Chooser(Chooser&&) noexcept;
  ~Chooser();
  /// For ranks that do not use NCCL: chooses the analytic engine's fastest.
  [[nodiscard]] static Chooser without_nccl(const topology::Cluster& cluster, Executor& analytic);

  /// Every algorithm and protocol that NCCL has for the kind of collective, in NCCL's order, with
  /// NCCL's choice; or those of the one algorithm that the request names.
  [[nodiscard]] std::vector<AlgorithmChoice> choices(const ChoiceRequest& request);

  /// The schedule to run: NCCL's choice, or where no schedule here can run that, the best of the
  /// others, with a note. An algorithm that the request names runs wherever the cluster can run it,
  /// also where NCCL does not have it or would not choose it. Throws InputError where none can run,
  /// with the reason of each.
  [[nodiscard]] Schedule chosen_schedule(const ChoiceRequest& request);

  /// The kernel or copy engines that NCCL uses for a request on registered buffers; nothing where
  /// it runs an algorithm, and where the request names algorithm, protocol or channels.
  [[nodiscard]] std::optional<SymmetricEstimate> choice_for_registered(
      const ChoiceRequest& request);

  /// Where chosen_schedule had to differ from NCCL: "NCCL would choose nvls simple, ...".
  [[nodiscard]] const std::set<std::string>& notes() const { return notes_; }

  /// NCCL's tuning table for a group. `protocol`: allow it for all collectives.
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
  /// By a hash of ranks and protocol: a placement asks for thousands of groups.
  std::unordered_multimap<std::uint64_t, std::unique_ptr<const Known>> known_;
};

}  // namespace railyard::collectives::nccl
