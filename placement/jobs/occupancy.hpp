#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/units.hpp"

namespace railyard::placement {

/// Communication between the GPUs of a running job. ring: one ring over its nodes that uses all
/// their NICs. rails: one ring over its nodes per GPU of a node. chain: neighbours. all_to_all:
/// every pair.
enum class TenantPattern { ring, rails, chain, all_to_all };

/// A job that runs on the cluster.
struct RunningJob {
  std::string name;
  std::string nodes, gpus;  ///< "0-7,12"; GPUs by rank
  Bandwidth rate{};         ///< mean rate at which each of its GPUs sends; 0: no traffic
  TenantPattern pattern = TenantPattern::ring;
  std::optional<Time> left{};  ///< time until it ends
  Bytes state{};               ///< copied when the job moves to other nodes
};

/// The part of a cluster that is in use.
struct Occupancy {
  std::string source;
  std::string nodes, gpus;  ///< in use by no named job (drained, reserved)
  std::vector<RunningJob> jobs;
  [[nodiscard]] bool empty() const { return nodes.empty() && gpus.empty() && jobs.empty(); }
};

}  // namespace railyard::placement
