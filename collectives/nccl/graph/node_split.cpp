#include "collectives/nccl/graph/node_split.hpp"

#include <algorithm>

#include "collectives/nccl/graph/paths.hpp"

namespace railyard::collectives::nccl {
namespace {

/// Whether every GPU has at least as much bandwidth to an NVSwitch as any NIC, and may use it. This
/// answers the question quickly for most nodes.
bool has_fast_nvswitch(const System& system, const SearchEnvironment& environment) {
  const bool p2p =
      !environment.p2p_disable && environment.p2p_level.value_or(PathType::pxb) >= PathType::nvl;
  if (!p2p || system.count(VertexKind::nvs) == 0) return false;
  float least = system.links.empty() ? 0 : kLocalBandwidth;
  for (const int dev : system.all(VertexKind::dev)) {
    float switched = 0;
    for (const int id : system[dev].links) {
      const SystemLink& link = system.links[static_cast<std::size_t>(id)];
      if (system[link.to].kind == VertexKind::nvs) switched = link.bandwidth;
    }
    least = std::min(least, switched);
  }
  return std::ranges::all_of(system.nets,
                             [least](const SystemNet& net) { return net.bandwidth <= least; });
}

/// For each GPU: the first GPU of the part to which it belongs.
std::vector<int> parts_of(const System& system, const Paths& paths) {
  std::vector<int> first(system.gpus.size());
  for (int gpu = 0; gpu < system.gpu_count(); ++gpu) {
    int& own = first[static_cast<std::size_t>(gpu)];
    own = gpu;
    for (int other = 0; other < gpu; ++other) {
      const PathType type =
          paths.between(system.vertex(VertexKind::gpu, gpu), system.vertex(VertexKind::gpu, other))
              .type;
      if (type < PathType::net) own = std::min(own, first[static_cast<std::size_t>(other)]);
    }
  }
  return first;
}

/// Copies a system without the ranks of some GPUs.
class Cut {
 public:
  Cut(const System& whole, const std::vector<bool>& keeps_gpu, Version version)
      : whole_(whole), keeps_gpu_(keeps_gpu), keeps_devices_(version != Version::v2_28) {}

  System make() && {
    out_ = whole_;
    out_.vertices.clear();
    out_.links.clear();
    for (auto& of_kind : out_.of_kind) of_kind.clear();
    out_.gpus.clear();
    copy_gpus();
    copy_vertices();
    copy_links();
    return std::move(out_);
  }

 private:
  /// Devices and ranks have the same numbers.
  [[nodiscard]] bool is_kept(const Vertex& vertex) const {
    const bool device = vertex.kind == VertexKind::dev;
    if (!device && vertex.kind != VertexKind::gpu) return true;
    const auto index = static_cast<std::size_t>(vertex.index);
    return (device && keeps_devices_) || (index < keeps_gpu_.size() && keeps_gpu_[index]);
  }

  void copy_gpus() {
    std::vector<int> ranks;
    for (std::size_t gpu = 0; gpu < whole_.gpus.size(); ++gpu)
      if (keeps_gpu_[gpu]) ranks.push_back(whole_.gpus[gpu].rank);
    std::ranges::sort(ranks);
    for (std::size_t gpu = 0; gpu < whole_.gpus.size(); ++gpu) {
      if (!keeps_gpu_[gpu]) continue;
      SystemGpu copy = whole_.gpus[gpu];
      copy.rank = static_cast<int>(std::ranges::find(ranks, copy.rank) - ranks.begin());
      out_.gpus.push_back(copy);
    }
  }

  void copy_vertices() {
    new_vertex_.assign(whole_.vertices.size(), -1);
    for (std::size_t i = 0; i < whole_.vertices.size(); ++i) {
      if (!is_kept(whole_.vertices[i])) continue;
      new_vertex_[i] = static_cast<int>(out_.vertices.size());
      out_.vertices.push_back(whole_.vertices[i]);
    }
    for (std::size_t kind = 0; kind < kVertexKinds; ++kind) {
      // Devices whose ranks were removed come last, so that all other devices keep the numbers of
      // their ranks.
      for (const bool ranked : {true, false}) {
        for (const int old : whole_.of_kind[kind]) {
          const Vertex& vertex = whole_[old];
          const bool went =
              vertex.kind == VertexKind::dev && !keeps_gpu_[static_cast<std::size_t>(vertex.index)];
          if (!is_kept(vertex) || went == ranked) continue;
          const int now = new_vertex_[static_cast<std::size_t>(old)];
          out_.vertices[static_cast<std::size_t>(now)].index =
              static_cast<int>(out_.of_kind[kind].size());
          out_.of_kind[kind].push_back(now);
        }
      }
    }
  }

  void copy_links() {
    std::vector<int> new_link(whole_.links.size(), -1);
    for (std::size_t i = 0; i < whole_.links.size(); ++i) {
      SystemLink link = whole_.links[i];
      link.from = new_vertex_[static_cast<std::size_t>(link.from)];
      link.to = new_vertex_[static_cast<std::size_t>(link.to)];
      if (link.from < 0 || link.to < 0) continue;
      new_link[i] = static_cast<int>(out_.links.size());
      out_.links.push_back(link);
    }
    for (SystemLink& link : out_.links)
      if (link.reverse >= 0) link.reverse = new_link[static_cast<std::size_t>(link.reverse)];
    for (Vertex& vertex : out_.vertices) {
      for (int& link : vertex.links) link = new_link[static_cast<std::size_t>(link)];
      std::erase(vertex.links, -1);
    }
  }

  const System& whole_;
  const std::vector<bool>& keeps_gpu_;
  bool keeps_devices_;  ///< false for 2.28, which has no devices without ranks
  System out_;
  std::vector<int> new_vertex_;
};

}  // namespace

std::vector<NodePart> split_node(System system, const SearchEnvironment& environment) {
  std::vector<NodePart> parts;
  const auto whole = [&] {
    std::vector<int> ranks;
    for (int rank = 0; rank < system.gpu_count(); ++rank) ranks.push_back(rank);
    parts.push_back({std::move(system), std::move(ranks)});
    return std::move(parts);
  };
  if (environment.net_disable_intra || system.gpu_count() < 2 || system.nets.empty() ||
      has_fast_nvswitch(system, environment))
    return whole();
  const std::vector<int> first = parts_of(system, compute_paths(system, environment));
  if (std::ranges::count(first, 0) == std::ssize(first)) return whole();
  for (int lead = 0; lead < system.gpu_count(); ++lead) {
    if (std::ranges::find(first, lead) == first.end()) continue;
    std::vector<bool> keeps(first.size());
    std::vector<int> ranks;
    for (std::size_t gpu = 0; gpu < first.size(); ++gpu) {
      keeps[gpu] = first[gpu] == lead;
      if (keeps[gpu]) ranks.push_back(system.gpus[gpu].rank);
    }
    std::ranges::sort(ranks);
    parts.push_back({Cut(system, keeps, environment.version).make(), std::move(ranks)});
  }
  std::ranges::sort(parts, {}, [](const NodePart& part) { return part.ranks.front(); });
  return parts;
}

}  // namespace railyard::collectives::nccl
