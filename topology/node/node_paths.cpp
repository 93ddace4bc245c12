#include "topology/node/node_paths.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "topology/node/nearest_nic.hpp"
#include "topology/node/node_graph.hpp"
#include "topology/node/node_search.hpp"

namespace railyard::topology {

NodeShape::NodeShape(NodeSpec spec) : spec_(std::move(spec)) {
  NodeGraph graph = build_node_graph(spec_);
  devices_ = graph.devices;
  links_ = graph.links;
  gpu_count_ = static_cast<int>(graph.gpu_numbers.size());
  nic_count_ = static_cast<int>(graph.nic_rates.size());
  first_nic_ = graph.first_nic;
  nic_rates_ = graph.nic_rates;
  nic_rails_ = graph.nic_rails;

  const std::size_t gpus = graph.gpu_numbers.size();
  const std::size_t nics = graph.nic_rates.size();
  paths_.resize((gpus + nics) * (gpus + nics));
  std::vector<NicDistance> distances;
  for (std::size_t gpu = 0; gpu < gpus; ++gpu) {
    const std::vector<FoundPath> found = best_paths_from(graph, DeviceId(gpu));
    for (std::size_t peer = 0; peer < gpus; ++peer) {
      if (peer == gpu) continue;
      store(gpu, peer, found[peer].type, found[peer].links);
    }
    for (std::size_t nic = 0; nic < nics; ++nic) {
      const FoundPath& path = found[first_nic_ + nic];
      store(gpu, gpus + nic, path.type, path.links);
      distances.push_back({path.type, std::min(path.bandwidth, graph.nic_rates[nic])});
      std::vector<std::uint32_t> back;
      for (const std::uint32_t link : path.links) back.push_back(links_[link].reverse.value());
      std::ranges::reverse(back);
      store(gpus + nic, gpu, path.type, back);
    }
  }
  nics_of_gpu_ = nics_by_gpu(distances, graph.gpu_numbers);
}

void NodeShape::store(std::size_t from, std::size_t to, PathType type,
                      std::span<const std::uint32_t> links) {
  if (links.empty()) return;
  Stored& path = paths_[path_index(from, to)];
  path.type = type;
  path.begin = static_cast<std::uint32_t>(path_links_.size());
  path_links_.insert(path_links_.end(), links.begin(), links.end());
  path.end = static_cast<std::uint32_t>(path_links_.size());
  path.bandwidth = links_[links.front()].bandwidth;
  for (const std::uint32_t link : links)
    path.bandwidth = std::min(path.bandwidth, links_[link].bandwidth);
}

NodePath NodeShape::stored(std::size_t from, std::size_t to) const {
  const Stored& path = paths_[path_index(from, to)];
  return {path.type, path.bandwidth,
          std::span(path_links_).subspan(path.begin, path.end - path.begin)};
}

NodePath NodeShape::gpu_to_gpu(int from, int to) const {
  if (from == to) return {.type = PathType::loc, .bandwidth = {}, .links = {}};
  return stored(static_cast<std::size_t>(from), static_cast<std::size_t>(to));
}

NodePath NodeShape::gpu_to_nic(int gpu, int nic) const {
  return stored(static_cast<std::size_t>(gpu),
                static_cast<std::size_t>(gpu_count_) + static_cast<std::size_t>(nic));
}

NodePath NodeShape::nic_to_gpu(int nic, int gpu) const {
  return stored(static_cast<std::size_t>(gpu_count_) + static_cast<std::size_t>(nic),
                static_cast<std::size_t>(gpu));
}

std::vector<int> NodeShape::gpus_of_nic(int nic) const {
  std::vector<int> gpus;
  for (int gpu = 0; gpu < gpu_count_; ++gpu)
    if (nearest_nic(gpu) == nic) gpus.push_back(gpu);
  return gpus;
}

}  // namespace railyard::topology
