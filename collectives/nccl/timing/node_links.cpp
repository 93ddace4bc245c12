#include "collectives/nccl/timing/node_links.hpp"

#include <algorithm>
#include <limits>

namespace railyard::collectives::nccl {
namespace {

using topology::LinkKind;
using topology::NodePath;
using topology::NodeShape;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

double line_rate(const NodeShape& shape, std::size_t link) {
  return shape.links()[link].line_rate.gigabytes_per_second();
}

/// The uses of every link of a node.
class LinkUses {
 public:
  explicit LinkUses(const NodeShape& shape) : shape_(shape), uses_(shape.links().size()) {
    for (std::size_t i = 0; i < uses_.size(); ++i) {
      uses_[i].link = static_cast<std::uint32_t>(i);
      uses_[i].rate = line_rate(shape, i);
    }
  }
  void inside(const NodePath& path) {
    for (const std::uint32_t link : path.links) uses_[link].inside += 1;
  }
  void outside(const NodePath& path, double part) {
    for (const std::uint32_t link : path.links) uses_[link].outside += part;
  }
  /// Uses NCCL's bandwidth for the links of a path other than NVLinks, because no measured table
  /// contains such a path.
  void count(const NodePath& path) {
    for (const std::uint32_t link : path.links) {
      const topology::Link& of = shape_.links()[link];
      if (of.kind != LinkKind::nvlink) uses_[link].rate = of.bandwidth.gigabytes_per_second();
    }
  }
  /// The links that may be the slowest.
  [[nodiscard]] std::vector<LinkUse> kept() const {
    std::vector<LinkUse> kept;
    for (const LinkUse& use : uses_) {
      if (use.inside == 0 && use.outside == 0) continue;
      const auto covers = [](const LinkUse& a, const LinkUse& b) {
        return a.inside / a.rate >= b.inside / b.rate && a.outside / a.rate >= b.outside / b.rate;
      };
      if (std::ranges::any_of(kept, [&](const LinkUse& other) { return covers(other, use); }))
        continue;
      std::erase_if(kept, [&](const LinkUse& other) { return covers(use, other); });
      kept.push_back(use);
    }
    return kept;
  }

 private:
  const NodeShape& shape_;
  std::vector<LinkUse> uses_;
};

bool is_far(const NodeShape& shape, int gpu, int nic) {
  return shape.gpu_to_nic(gpu, nic).type > shape.gpu_to_nic(gpu, shape.nearest_nic(gpu)).type;
}

/// The data of a GPU for GPUs on other nodes that have the same number in their node as `peer`.
void send_outside(LinkUses& uses, const NodeShape& shape, NicRule rule, int gpu, int peer,
                  double part) {
  const int driver = rule == NicRule::relayed ? peer : gpu;
  const int wanted = rule == NicRule::own ? gpu : peer;
  const std::span<const int> own = shape.nics_of_gpu(gpu), nics = shape.nics_of_gpu(wanted);
  const bool hands_over = driver != gpu && !std::ranges::equal(own, nics);
  if (hands_over) uses.outside(shape.gpu_to_gpu(gpu, driver), part);
  for (const int nic : nics) {
    const NodePath path = shape.gpu_to_nic(hands_over ? driver : gpu, nic);
    uses.outside(path, part / static_cast<double>(nics.size()));
    if (rule == NicRule::far && is_far(shape, gpu, nic)) uses.count(path);
  }
}

void receive_outside(LinkUses& uses, const NodeShape& shape, int gpu) {
  const std::span<const int> nics = shape.nics_of_gpu(gpu);
  for (const int nic : nics)
    uses.outside(shape.nic_to_gpu(nic, gpu), 1 / static_cast<double>(nics.size()));
}

/// The GPUs that use a NIC: those whose NIC it is. If there are none, those with the best path to
/// it.
std::vector<int> beside(const NodeShape& shape, std::span<const int> gpus, int nic) {
  std::vector<int> found;
  for (const int gpu : gpus)
    if (std::ranges::find(shape.nics_of_gpu(gpu), nic) != shape.nics_of_gpu(gpu).end())
      found.push_back(gpu);
  if (!found.empty()) return found;
  const auto nearest =
      std::ranges::min_element(gpus, {}, [&](int gpu) { return shape.gpu_to_nic(gpu, nic).type; });
  return {*nearest};
}

}  // namespace

std::vector<LinkUse> exchange_links(const NodeShape& shape, std::span<const int> gpus,
                                    NicRule rule) {
  LinkUses uses(shape);
  for (const int gpu : gpus) {
    for (const int peer : gpus) {
      if (peer != gpu) uses.inside(shape.gpu_to_gpu(gpu, peer));
      if (shape.nearest_nic(gpu) >= 0 && shape.nearest_nic(peer) >= 0)
        send_outside(uses, shape, rule, gpu, peer, 1 / static_cast<double>(gpus.size()));
    }
    if (shape.nearest_nic(gpu) >= 0) receive_outside(uses, shape, gpu);
  }
  return uses.kept();
}

SlowestLink slowest_link(std::span<const LinkUse> links, double inside, double outside) {
  SlowestLink slowest;
  for (const LinkUse& use : links) {
    const double time = (use.inside * inside + use.outside * outside) / use.rate / 1e3;
    if (time > slowest.microseconds) slowest = {time, static_cast<int>(use.link)};
  }
  return slowest;
}

NicLimit nic_limit(const NodeShape& shape, std::span<const int> gpus,
                   std::span<const double> rates) {
  std::vector<double> loads(shape.links().size(), 0.0);
  double total = 0;
  for (std::size_t nic = 0; nic < rates.size(); ++nic) {
    if (rates[nic] <= 0 || gpus.empty()) continue;
    total += rates[nic];
    const std::vector<int> near = beside(shape, gpus, static_cast<int>(nic));
    for (const int gpu : near)
      for (const std::uint32_t link : shape.gpu_to_nic(gpu, static_cast<int>(nic)).links)
        loads[link] += rates[nic] / static_cast<double>(near.size());
  }
  NicLimit limit{.rate = kInfinite};
  for (std::size_t link = 0; link < loads.size(); ++link) {
    if (loads[link] == 0) continue;
    const double rate = total * line_rate(shape, link) / loads[link];
    if (rate < limit.rate) limit = {rate, static_cast<int>(link)};
  }
  return limit;
}

NicLimit ring_limit(const NodeShape& shape, std::span<const int> gpus) {
  NicLimit limit{.rate = kInfinite};
  for (std::size_t i = 0; i < gpus.size() && gpus.size() > 1; ++i) {
    const NodePath path = shape.gpu_to_gpu(gpus[i], gpus[(i + 1) % gpus.size()]);
    for (const std::uint32_t link : path.links)
      if (line_rate(shape, link) < limit.rate)
        limit = {line_rate(shape, link), static_cast<int>(link)};
  }
  return limit;
}

}  // namespace railyard::collectives::nccl
