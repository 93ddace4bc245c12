#pragma once

#include <functional>
#include <memory>
#include <string>

#include "placement/cost/communication.hpp"
#include "placement/cost/group_runs.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::placement::serving {

/// Makes the engine of a cluster, which outlives it.
using ClusterEngine =
    std::function<std::shared_ptr<const placement::Engine>(const topology::Cluster&)>;

/// Collectives of a replica that spans nodes: all-reduces by NCCL's fitted times (NcclReductions),
/// exchanges of experts by an engine (FabricCollectives). Either model is made with its first call,
/// because most plans need none. Not thread-safe.
class ClusterExchanges final : public CommunicationModel {
 public:
  /// `name`: of the cluster, for its fitted times.
  ClusterExchanges(std::shared_ptr<const topology::Cluster> cluster, std::string name,
                   ClusterEngine engine);
  ~ClusterExchanges() override;
  ClusterExchanges(const ClusterExchanges&) = delete;
  ClusterExchanges& operator=(const ClusterExchanges&) = delete;
  /// Throws InputError if the files of the cluster's times cannot be read.
  [[nodiscard]] Time time(const GroupCollective& collective) const override;

 private:
  struct Models;
  std::shared_ptr<const topology::Cluster> cluster_;
  std::string name_;
  ClusterEngine engine_;
  std::unique_ptr<Models> models_;
};

}  // namespace railyard::placement::serving
