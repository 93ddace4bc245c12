#pragma once

#include <memory>

#include "placement/cost/communication.hpp"
#include "placement/cost/group_runs.hpp"

namespace railyard::placement::serving {

/// Collectives of a replica that spans nodes, simulated on the cluster's links. The group consists
/// of the first `shape.size` GPUs of the cluster; there is no other traffic. Sizes that are powers
/// of two are simulated once each. Times between them are interpolated linearly.
class FabricCollectives final : public CommunicationModel {
 public:
  explicit FabricCollectives(std::shared_ptr<const placement::Engine> engine);
  [[nodiscard]] Time time(const GroupCollective& collective) const override;

 private:
  std::shared_ptr<const placement::Engine> engine_;
  std::shared_ptr<GroupRuns> runs_;
};

}  // namespace railyard::placement::serving
