#include "topology/node/node_search.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

namespace railyard::topology {
namespace {

/// A partial path to `device`: its quality, and the label that it extends.
struct Label {
  PathType type = PathType::loc;
  Bandwidth bandwidth{};
  int hops = 0;
  DeviceId device{};
  std::size_t previous = 0;  ///< index of the label before; label 0 is the source
  LinkId link{};             ///< the last link of the path
  bool starts_with_c2c = false;
};

bool is_no_worse(const Label& a, const Label& b) {
  return a.type <= b.type && a.bandwidth >= b.bandwidth && a.hops <= b.hops;
}

auto rank_key(const Label& label) {
  return std::tuple(label.type, Bandwidth() - label.bandwidth, label.hops);
}

/// The path type that one hop implies (NCCL src/graph/paths.cc, ncclTopoSetPaths).
PathType hop_type(const NodeGraph& graph, const Link& link) {
  switch (link.kind) {
    case LinkKind::nvlink: return PathType::nvl;
    case LinkKind::c2c: return PathType::c2c;
    case LinkKind::socket: return PathType::sys;
    default: break;
  }
  const auto kind = [&](DeviceId id) { return graph.devices[id.index()].kind; };
  const auto is_switch = [&](DeviceId id) {
    return kind(id) == DeviceKind::pcie_switch && graph.is_card[id.index()] == 0;
  };
  if (kind(link.from) == DeviceKind::cpu || kind(link.to) == DeviceKind::cpu) return PathType::phb;
  return is_switch(link.from) && is_switch(link.to) ? PathType::pxb : PathType::pix;
}

class Search {
 public:
  Search(const NodeGraph& graph, DeviceId source)
      : graph_(graph), source_(source), fronts_(graph.devices.size()) {
    out_.resize(graph.devices.size());
    for (std::size_t i = 0; i < graph.links.size(); ++i)
      out_[graph.links[i].from.index()].push_back(LinkId(i));
  }

  std::vector<FoundPath> run() && {
    labels_.push_back(
        {.bandwidth = Bandwidth::bits_per_second(std::numeric_limits<std::int64_t>::max()),
         .device = source_});
    for (std::size_t current = 0; current < labels_.size(); ++current) {
      if (!is_dropped(current)) extend(current);
    }
    std::vector<FoundPath> found(graph_.devices.size());
    for (std::size_t device = 0; device < found.size(); ++device)
      if (!fronts_[device].empty()) found[device] = trace(fronts_[device]);
    return found;
  }

 private:
  bool is_dropped(std::size_t label) const {
    if (label == 0) return false;
    const std::vector<std::size_t>& front = fronts_[labels_[label].device.index()];
    return std::ranges::find(front, label) == front.end();
  }

  /// Whether a path that reached a device may continue over `link`.
  bool may_leave(const Label& at, const Link& link) const {
    if (link.to == source_) return false;
    if (at.hops == 0) return true;
    const DeviceKind kind = graph_.devices[at.device.index()].kind;
    if (kind == DeviceKind::nic) return false;
    if (kind != DeviceKind::gpu) return true;
    return at.hops == 1 && at.type == PathType::nvl && link.kind == LinkKind::nvlink &&
           graph_.devices[link.to.index()].kind == DeviceKind::gpu;
  }

  void extend(std::size_t current) {
    for (const LinkId id : out_[labels_[current].device.index()]) {
      const Link& link = graph_.links[id.index()];
      const Label& at = labels_[current];
      if (!may_leave(at, link)) continue;
      Label next{.type = std::max(at.type, hop_type(graph_, link)),
                 .bandwidth = std::min(at.bandwidth, link.bandwidth),
                 .hops = at.hops + 1,
                 .device = link.to,
                 .previous = current,
                 .link = id,
                 .starts_with_c2c = at.hops == 0 ? link.kind == LinkKind::c2c : at.starts_with_c2c};
      if (at.hops > 0 && graph_.devices[at.device.index()].kind == DeviceKind::gpu)
        next.type = PathType::nvb;
      // A path from C2C to the CPU and then over PCIe to the NIC has type p2c, which is better than
      // phb.
      if (graph_.devices[link.to.index()].kind == DeviceKind::nic && next.starts_with_c2c &&
          next.type == PathType::phb)
        next.type = PathType::p2c;
      insert(next);
    }
  }

  void insert(const Label& next) {
    std::vector<std::size_t>& front = fronts_[next.device.index()];
    const auto beaten_by = [&](std::size_t other) { return is_no_worse(labels_[other], next); };
    if (std::ranges::any_of(front, beaten_by)) return;
    std::erase_if(front, [&](std::size_t other) { return is_no_worse(next, labels_[other]); });
    front.push_back(labels_.size());
    labels_.push_back(next);
  }

  FoundPath trace(const std::vector<std::size_t>& front) const {
    std::size_t at = *std::ranges::min_element(
        front, {}, [&](std::size_t label) { return rank_key(labels_[label]); });
    FoundPath path{.type = labels_[at].type, .bandwidth = labels_[at].bandwidth, .links = {}};
    for (; at != 0; at = labels_[at].previous) path.links.push_back(labels_[at].link.value());
    std::ranges::reverse(path.links);
    return path;
  }

  const NodeGraph& graph_;
  DeviceId source_;
  std::vector<std::vector<LinkId>> out_;
  std::vector<Label> labels_;
  std::vector<std::vector<std::size_t>> fronts_;
};

}  // namespace

std::vector<FoundPath> best_paths_from(const NodeGraph& graph, DeviceId gpu) {
  return Search(graph, gpu).run();
}

}  // namespace railyard::topology
