#include "collectives/algorithms/ring_search.hpp"

#include <algorithm>

namespace railyard::collectives {
namespace {

using Path = std::vector<std::uint32_t>;

/// NCCL_SEARCH_GLOBAL_TIMEOUT (NCCL 2.30 graph/search.cc): the limit on steps for all rings
/// together.
constexpr std::uint64_t kBudget = std::uint64_t{1} << 19;

/// Depth-first search for several paths at once. With `both`, a path uses its links in both
/// directions.
class PathSearch {
 public:
  PathSearch(LinkCounts links, std::span<const PathEnds> ends, bool both)
      : links_(std::move(links)), ends_(ends), both_(both) {}

  std::vector<Path> run() {
    begin();
    return best_;
  }

 private:
  /// Starts the next path. Returns true when all paths are found or the step limit is reached.
  bool begin() {
    if (paths_.size() > best_.size()) best_ = paths_;
    if (paths_.size() == ends_.size()) return true;
    const PathEnds& ends = ends_[paths_.size()];
    Path path{ends.first};
    std::vector<bool> visited(links_.size(), false);
    visited[ends.first] = true;
    return extend(path, visited, ends);
  }

  bool extend(Path& path, std::vector<bool>& visited, const PathEnds& ends) {
    if (++steps_ > kBudget) return true;
    const std::uint32_t from = path.back();
    if (path.size() == links_.size()) return finish(path, ends);
    for (std::uint32_t to = 0; to < links_.size(); ++to) {
      if (visited[to] || links_.at(from, to) == 0) continue;
      if (ends.last == to && path.size() + 1 < links_.size()) continue;
      take(from, to, 1);
      visited[to] = true;
      path.push_back(to);
      if (extend(path, visited, ends)) return true;
      path.pop_back();
      visited[to] = false;
      take(from, to, -1);
    }
    return false;
  }

  bool finish(const Path& path, const PathEnds& ends) {
    if (ends.last && path.back() != *ends.last) return false;
    if (ends.closed && links_.at(path.back(), path.front()) == 0) return false;
    if (ends.closed) take(path.back(), path.front(), 1);
    paths_.push_back(path);
    if (begin()) return true;
    paths_.pop_back();
    if (ends.closed) take(path.back(), path.front(), -1);
    return false;
  }

  void take(std::uint32_t from, std::uint32_t to, int count) {
    links_.at(from, to) -= count;
    if (both_) links_.at(to, from) -= count;
  }

  LinkCounts links_;
  std::span<const PathEnds> ends_;
  bool both_;
  std::uint64_t steps_ = 0;
  std::vector<Path> paths_;
  std::vector<Path> best_;
};

}  // namespace

LinkCounts LinkCounts::nvlinks(const NodeMembers& members) {
  LinkCounts counts(members.size());
  const topology::NodeShape& shape = *members.shape;
  const std::int64_t one = shape.spec().gpu.nvlink_bandwidth.bits_per_second();
  const auto index_of = [&](DeviceId device) {
    const auto found =
        std::find(members.gpus.begin(), members.gpus.end(), static_cast<int>(device.value()));
    return static_cast<std::uint32_t>(found - members.gpus.begin());
  };
  for (const topology::Link& link : shape.links()) {
    if (link.kind != topology::LinkKind::nvlink) continue;
    const std::uint32_t from = index_of(link.from);
    const std::uint32_t to = index_of(link.to);
    if (from >= members.size() || to >= members.size()) continue;
    counts.at(from, to) += static_cast<int>(link.bandwidth.bits_per_second() / one);
  }
  return counts;
}

int LinkCounts::least_degree() const {
  int least = -1;
  for (std::uint32_t from = 0; from < size_; ++from) {
    int degree = 0;
    for (std::uint32_t to = 0; to < size_; ++to) degree += at(from, to);
    least = least < 0 ? degree : std::min(least, degree);
  }
  return std::max(least, 0);
}

std::vector<Path> search_paths(LinkCounts links, std::span<const PathEnds> ends) {
  return PathSearch(std::move(links), ends, false).run();
}

std::vector<Path> search_rings(const LinkCounts& links) {
  const auto degree = static_cast<std::size_t>(links.least_degree());
  if (links.size() < 2 || degree == 0) return {};
  // With two members a ring uses one link in each direction, so it has no separate reverse ring.
  const bool both = links.size() > 2;
  const std::vector<PathEnds> ends(both ? degree / 2 : degree,
                                   {.first = 0, .last = {}, .closed = true});
  std::vector<Path> rings;
  for (const Path& path : PathSearch(links, ends, both).run()) {
    rings.push_back(path);
    if (both) {
      Path back(path.rbegin(), path.rend());
      std::rotate(back.begin(), back.end() - 1, back.end());
      rings.push_back(std::move(back));
    }
  }
  return rings;
}

}  // namespace railyard::collectives
