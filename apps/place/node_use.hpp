#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/place/question.hpp"
#include "placement/mapping/tiers.hpp"

namespace railyard::apps {

/// Leaves of a node's NICs, in the order of the NICs: nodes that have the same are a unit.
[[nodiscard]] std::vector<std::uint32_t> leaves_of(const placement::Tiers& tiers,
                                                   std::uint32_t node);
/// By node: whether every GPU is free.
[[nodiscard]] std::vector<bool> free_nodes(const Question& question);
/// Nodes of GPUs, each once, in order.
[[nodiscard]] std::vector<std::uint32_t> nodes_of(const topology::Cluster& cluster,
                                                  std::span<const Rank> gpus);
/// "0-3,8".
[[nodiscard]] std::string node_list(const topology::Cluster& cluster, std::span<const Rank> gpus);
/// How many units GPUs are in.
[[nodiscard]] std::size_t count_units(const placement::Tiers& tiers, std::span<const Rank> gpus);

}  // namespace railyard::apps
