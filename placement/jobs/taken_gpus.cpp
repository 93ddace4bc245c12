#include "placement/jobs/taken_gpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/diagnostic.hpp"
#include "placement/jobs/occupancy_fields.hpp"
#include "placement/mapping/mapping.hpp"
#include "topology/cluster/rank_list.hpp"

namespace railyard::placement {
namespace {

/// "node3,node7-9" as "3,7-9".
std::string without_word(std::string text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word))
    text.erase(at, word.size());
  return text;
}

std::vector<NodeId> nodes_in(const topology::Cluster& cluster, const std::string& list,
                             const ListOrigin& origin) {
  const auto numbers = topology::parse_ranks(without_word(list, "node"), cluster.node_count());
  if (!numbers.value)
    throw InputError("", origin.where,
                     fmt::format("'{}' is not a list of nodes of this cluster, which are 0 to {}",
                                 list, cluster.node_count() - 1),
                     origin.hint);
  std::vector<NodeId> nodes;
  for (const Rank number : *numbers.value) nodes.emplace_back(number.value());
  return nodes;
}

}  // namespace

Occupancy read_occupancy(const std::string& text) {
  if (text.empty()) return {};
  std::error_code failed;  // a long list is too long for a file name
  if (std::filesystem::is_regular_file(text, failed)) return core::read_config<Occupancy>(text);
  return {.source = {}, .nodes = text, .gpus = {}, .jobs = {}};
}

std::vector<Rank> gpus_of(const topology::Cluster& cluster, const std::string& nodes,
                          const std::string& gpus, const ListOrigin& origin) {
  std::vector<Rank> all;
  if (!nodes.empty()) all = gpus_of_nodes(cluster, nodes_in(cluster, nodes, origin));
  if (!gpus.empty()) {
    const auto ranks = topology::parse_ranks(gpus, cluster.rank_count());
    if (!ranks.value) throw InputError("", origin.where, ranks.error);
    all.insert(all.end(), ranks.value->begin(), ranks.value->end());
  }
  std::ranges::sort(all);
  const auto repeated = std::ranges::unique(all);
  all.erase(repeated.begin(), repeated.end());
  return all;
}

std::vector<bool> taken_gpus(const topology::Cluster& cluster, const Occupancy& occupancy,
                             const ListOrigin& origin) {
  std::vector<bool> taken(cluster.rank_count(), false);
  std::vector<std::string> holder(cluster.rank_count());
  Diagnostics problems("");
  for (const Rank gpu : gpus_of(cluster, occupancy.nodes, occupancy.gpus, origin))
    taken[gpu.index()] = true;
  for (const RunningJob& tenant : occupancy.jobs) {
    for (const Rank gpu : gpus_of(cluster, tenant.nodes, tenant.gpus, origin)) {
      if (!holder[gpu.index()].empty()) {
        problems.add("/jobs", fmt::format("'{}' and '{}' are both on {}", holder[gpu.index()],
                                          tenant.name, cluster.name(cluster.gpu(gpu))));
        break;
      }
      taken[gpu.index()] = true;
      holder[gpu.index()] = tenant.name;
    }
  }
  problems.throw_if_any();
  return taken;
}

}  // namespace railyard::placement
