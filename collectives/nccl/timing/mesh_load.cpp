#include "collectives/nccl/timing/mesh_load.hpp"

#include <algorithm>
#include <map>

#include "collectives/nccl/graph/paths.hpp"

namespace railyard::collectives::nccl {
namespace {

/// Messages that cross each NVLink.
class LinkMessages {
 public:
  LinkMessages(const System& system, const Paths& paths) : system_(system), paths_(paths) {}

  void add(int from, int to) {
    const Path& path =
        paths_.between(system_.vertex(VertexKind::gpu, from), system_.vertex(VertexKind::gpu, to));
    for (const int link : paths_.links(path)) {
      const SystemLink& crossed = system_.links[static_cast<std::size_t>(link)];
      if (crossed.type == PathType::nvl) ++messages_[link];
    }
  }
  /// The time of all messages of one byte each on the busiest link, divided by the time of `each`
  /// messages at the rate `nvlink`. At least 1.
  [[nodiscard]] double over_even(double nvlink, double each) const {
    double slowest = 0;
    for (const auto& [link, count] : messages_) {
      const double rate = system_.links[static_cast<std::size_t>(link)].bandwidth;
      slowest = std::max(slowest, count / rate);
    }
    return std::max(1.0, slowest * nvlink / each);
  }

 private:
  const System& system_;
  const Paths& paths_;
  std::map<int, int> messages_;
};

}  // namespace

MeshLoad mesh_load(const System& system, const Paths& paths, double nvlink) {
  const int count = system.gpu_count();
  const bool is_switched = system.count(VertexKind::nvs) > 0;
  if (nvlink <= 0 || is_switched || count < 2) return {};
  std::vector<int> by_rank(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i)
    by_rank[static_cast<std::size_t>(system.gpus[static_cast<std::size_t>(i)].rank)] = i;
  LinkMessages all(system, paths), next(system, paths);
  for (std::size_t from = 0; from < by_rank.size(); ++from) {
    for (std::size_t to = 0; to < by_rank.size(); ++to)
      if (from != to) all.add(by_rank[from], by_rank[to]);
    next.add(by_rank[from], by_rank[(from + 1) % by_rank.size()]);
  }
  return {all.over_even(nvlink, count - 1), next.over_even(nvlink, 1)};
}

}  // namespace railyard::collectives::nccl
