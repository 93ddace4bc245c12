#pragma once

#include <memory>

#include "placement/cost/communication.hpp"
#include "placement/cost/group_runs.hpp"

namespace railyard::placement::serving {

/// Collectives of a replica that spans nodes, run by an engine over the cluster's links: the group
/// is the cluster's first GPUs, `shape.size` of them, and nothing else uses the links. Messages of
/// powers of two bytes are run once each; times between them are linear.
class FabricCollectives final : public CommunicationModel {
 public:
  explicit FabricCollectives(std::shared_ptr<const placement::Engine> engine);
  [[nodiscard]] Time time(const GroupCollective& collective) const override;

 private:
  std::shared_ptr<const placement::Engine> engine_;
  std::shared_ptr<GroupRuns> runs_;
};

}  // namespace railyard::placement::serving
