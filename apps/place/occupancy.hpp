#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/units.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::apps {

/// Who of a job sends to whom: a ring over its nodes with all their NICs together; one ring over
/// its nodes for each GPU of a node; neighbours; every pair.
enum class TenantPattern { ring, rails, chain, all_to_all };

/// Another job on the cluster, and what each of its GPUs sends on average.
struct Tenant {
  std::string name;
  std::string nodes, gpus;  ///< "0-7,12"; GPUs by rank
  Bandwidth rate{};         ///< 0: nothing that would be in the way
  TenantPattern pattern = TenantPattern::ring;
  std::optional<Time> left{};  ///< until it ends
  Bytes state{};               ///< what a move of it copies
};

/// What of a cluster is taken.
struct Occupancy {
  std::string source;
  std::string nodes, gpus;  ///< taken by nobody in particular (drained, reserved)
  std::vector<Tenant> jobs;
  [[nodiscard]] bool empty() const { return nodes.empty() && gpus.empty() && jobs.empty(); }
};

/// --occupied: nodes as "0-3,node9", or a JSON file (railyard schema occupancy). Throws InputError.
[[nodiscard]] Occupancy read_occupancy(const std::string& text);

/// GPUs of nodes and GPUs that are listed, by rank. Throws InputError at `flag` for what the
/// cluster does not have.
[[nodiscard]] std::vector<Rank> gpus_of(const topology::Cluster& cluster, const std::string& nodes,
                                        const std::string& gpus,
                                        const std::string& flag = "--occupied");

/// By rank: whether the GPU is taken.
[[nodiscard]] std::vector<bool> taken_gpus(const topology::Cluster& cluster,
                                           const Occupancy& occupancy);

}  // namespace railyard::apps
