#include "placement/mapping/mapping.hpp"

#include <fmt/format.h>

#include "core/diagnostic.hpp"

namespace railyard::placement {

std::vector<Rank> GpusByType::joined() const {
  std::vector<Rank> all;
  for (const std::span<const Rank> list : lists_) all.insert(all.end(), list.begin(), list.end());
  return all;
}

GpusByType GpusByType::first(std::span<const std::size_t> counts) const {
  GpusByType some = *this;
  for (std::size_t t = 0; t < counts.size(); ++t) some.lists_[t] = lists_[t].first(counts[t]);
  return some;
}

Mapping map_in_order(std::span<const JobRank> order, const GpusByType& gpus,
                     std::span<const int> types) {
  Mapping mapping;
  mapping.gpus.resize(order.size());
  if (types.empty()) {
    const std::span<const Rank> only = gpus[0];
    for (std::size_t i = 0; i < order.size(); ++i) mapping.gpus[order[i].index()] = only[i];
    return mapping;
  }
  std::vector<std::size_t> next(gpus.size(), 0);
  for (const JobRank rank : order) {
    const auto type = static_cast<std::size_t>(types[rank.index()]);
    mapping.gpus[rank.index()] = gpus[type][next[type]++];
  }
  return mapping;
}

void check_mapping(const Mapping& mapping, const topology::Cluster& cluster) {
  std::vector<JobRank> holder(cluster.rank_count());
  Diagnostics problems("");
  for (std::size_t r = 0; r < mapping.size(); ++r) {
    const Rank gpu = mapping.gpus[r];
    if (gpu.index() >= cluster.rank_count()) {
      problems.add(fmt::format("rank {}", r),
                   fmt::format("is on GPU {}, but the cluster has {}",
                               gpu.is_none() ? std::string("none") : fmt::to_string(gpu.value()),
                               cluster.rank_count()));
      continue;
    }
    JobRank& held = holder[gpu.index()];
    if (!held.is_none()) {
      problems.add(
          fmt::format("rank {}", r),
          fmt::format("is on {}, like rank {}", cluster.name(cluster.gpu(gpu)), held.value()),
          "a GPU can have only one rank");
    }
    held = JobRank(r);
  }
  problems.throw_if_any();
}

std::vector<Rank> gpus_of_nodes(const topology::Cluster& cluster, std::span<const NodeId> nodes) {
  std::vector<Rank> gpus;
  for (const NodeId node : nodes) {
    const std::uint32_t first = cluster.node(node).first_rank.value();
    for (int g = 0; g < cluster.shape(node).gpu_count(); ++g)
      gpus.emplace_back(first + static_cast<std::uint32_t>(g));
  }
  return gpus;
}

}  // namespace railyard::placement
