#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/nccl_environment.hpp"
#include "collectives/algorithm.hpp"
#include "collectives/executor.hpp"
#include "collectives/group.hpp"
#include "topology/cluster.hpp"

namespace railyard::apps {

/// What is asked, and what limits the ways to do it.
struct ChoiceRequest {
  const topology::Cluster& cluster;
  std::shared_ptr<const collectives::Group> group;
  collectives::Collective collective;
  std::string algorithm = "auto";                 ///< or a name
  std::optional<collectives::Protocol> protocol;  ///< not set: any
  std::optional<int> channels;
  NcclEnvironment environment;
};

/// One way to do it, and what it costs.
struct Candidate {
  std::string algorithm;
  collectives::Protocol protocol{};
  int channels = 0;
  Bytes bytes;
  Time latency;  ///< what it takes however small the message is
  double bandwidth_GBps =
      0;  ///< algorithm bandwidth of what comes on top; 0 for one that cannot run
  Time time;
  std::string bound_by;
  std::string why_not;  ///< empty: allowed
  bool chosen = false;
};

/// Every algorithm and protocol for the kind of collective in the order of the algorithm table,
/// costed by `executor` (the analytic model), the fastest allowed one chosen (the first of equals).
[[nodiscard]] std::vector<Candidate> candidates(const ChoiceRequest& request,
                                                collectives::Executor& executor);

/// The schedule to run: of the algorithm and protocol asked for, or of the chosen candidate. Throws
/// InputError where none can run, with the reason of each.
[[nodiscard]] collectives::Schedule chosen_schedule(const ChoiceRequest& request,
                                                    collectives::Executor& executor);

}  // namespace railyard::apps
