#pragma once

#include <memory>
#include <string>
#include <vector>

#include "collectives/schedule/executor.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/cluster/faults.hpp"
#include "topology/routing/routing.hpp"

namespace railyard::apps {

class FittedTiming;

/// What a simulated run is to be like.
struct EngineOptions {
  std::string fidelity = "flow";
  topology::RoutingOptions routing{};
  std::vector<topology::TimedFault> faults{};
  bool expand = false;
  bool timeline = false;
  bool certify = false;
  Time coalesce{};
  std::shared_ptr<FittedTiming> timing{};  ///< nullptr: links and overheads alone
  bool loads = true;  ///< analytic: also what links carry, where times do without
  int threads = 1;    ///< of one run, where its tasks let it use more
};

/// The simulator of a fidelity, whose run() may be called by several threads at the same time; the
/// cluster must outlive it. Throws InputError for an unknown one
/// or options that it has no use for, BackendError for packet, which is not built yet.
[[nodiscard]] std::unique_ptr<collectives::Executor> make_engine(const topology::Cluster& cluster,
                                                                 const EngineOptions& options);

}  // namespace railyard::apps
