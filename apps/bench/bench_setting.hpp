#pragma once

#include <memory>
#include <optional>

#include "apps/bench/bench_flags.hpp"
#include "apps/output/rows.hpp"
#include "apps/sim/timing.hpp"
#include "collectives/nccl/choice/chooser.hpp"
#include "collectives/schedule/executor.hpp"
#include "hw/live_cluster.hpp"
#include "topology/node/host_memory.hpp"

namespace railyard::apps {

/// A host whose ranks' links have the bandwidth of its cache.
struct CachedHost {
  topology::HostMemory memory;
  std::unique_ptr<topology::Cluster> cluster;
  std::unique_ptr<collectives::Executor> predictor;
};

/// What is the same for all sizes of a bench: where the ranks are, and what schedules are made for
/// and predicted on.
class BenchSetting {
 public:
  /// Throws InputError: the cluster of --predict, or ranks that are not as many as are live.
  BenchSetting(const BenchFlags& flags, hw::LiveBackend& backend, Provenance& provenance);

  [[nodiscard]] const hw::LiveHosts& hosts() const { return hosts_; }
  [[nodiscard]] std::uint32_t ranks() const { return group_->size(); }
  [[nodiscard]] const std::shared_ptr<const collectives::Group>& group() const { return group_; }

  [[nodiscard]] collectives::Schedule schedule(const CollectiveFlags& flags,
                                               const collectives::Collective& collective);
  /// Nothing where no prediction was asked for.
  [[nodiscard]] std::optional<collectives::TaskResult> predicted(
      const collectives::Schedule& schedule);

 private:
  hw::LiveHosts hosts_;
  topology::Cluster cluster_;
  std::shared_ptr<const collectives::Group> group_;
  std::shared_ptr<collectives::nccl::FittedPace> timing_;
  std::unique_ptr<collectives::Executor> analytic_, predictor_, expanding_;
  std::optional<CachedHost> cached_;  ///< backend local: where buffers fit into the cache
  collectives::nccl::Chooser chooser_;
  bool has_protocols_;
};

/// Transfers that are simulated one by one for a prediction over MPI: some seconds' worth.
inline constexpr std::uint64_t kMostExpanded = 100'000;

/// "native": the library's own collective instead of a schedule of ours.
inline constexpr std::string_view kNative = "native";

}  // namespace railyard::apps
