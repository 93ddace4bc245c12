#include "placement/mapping/trunk_loads.hpp"

#include <algorithm>
#include <numeric>

namespace railyard::placement {

NodeLinkPaths::NodeLinkPaths(const topology::Cluster& cluster) {
  for (const auto& shape : cluster.shapes()) add(*shape);
  for (std::size_t n = 0; n < cluster.node_count(); ++n)
    shape_of_.push_back(cluster.node(NodeId(n)).shape);
}

void NodeLinkPaths::add(const topology::NodeShape& shape) {
  const int gpus = shape.gpu_count(), nics = shape.nic_count();
  shapes_.push_back(
      {starts_.size() - 1, static_cast<std::size_t>(gpus), static_cast<std::size_t>(nics)});
  const auto put = [&](const topology::NodePath& path) {
    links_.insert(links_.end(), path.links.begin(), path.links.end());
    starts_.push_back(static_cast<std::uint32_t>(links_.size()));
  };
  for (int a = 0; a < gpus; ++a) {
    for (int b = 0; b < gpus; ++b) put(a == b ? topology::NodePath{} : shape.gpu_to_gpu(a, b));
  }
  for (int nic = 0; nic < nics; ++nic) {
    for (int gpu = 0; gpu < gpus; ++gpu) put(shape.gpu_to_nic(gpu, nic));
  }
  for (int nic = 0; nic < nics; ++nic) {
    for (int gpu = 0; gpu < gpus; ++gpu) put(shape.nic_to_gpu(nic, gpu));
  }
}

void TrunkLoads::clear() {
  for (const std::uint32_t trunk : loaded_) bytes_[trunk] = 0;
  loaded_.clear();
  std::ranges::fill(uplinks_.bytes, 0.0);
  std::ranges::fill(uplinks_.squares, 0.0);
  inside_bytes_ = 0;
}

void TrunkLoads::inside(Rank from, Rank to, double bytes) {
  const Tiers::GpuPosition &a = tiers_->gpu_position(from), &b = tiers_->gpu_position(to);
  for (const std::uint32_t link : paths_.gpu_to_gpu(a.node, a.gpu, b.gpu))
    add(tiers_->inside(a.node, link), bytes);
  inside_bytes_ += bytes;
}

void TrunkLoads::out(const Tiers::GpuPosition& position, std::uint32_t nic, double bytes) {
  const std::uint32_t local = nic - tiers_->first_nic(position.node);
  for (const std::uint32_t link : paths_.gpu_to_nic(position.node, position.gpu, local))
    add(tiers_->inside(position.node, link), bytes);
  add(tiers_->port_up(nic), bytes);
}

void TrunkLoads::in(const Tiers::GpuPosition& position, std::uint32_t nic, double bytes) {
  const std::uint32_t local = nic - tiers_->first_nic(position.node);
  for (const std::uint32_t link : paths_.nic_to_gpu(position.node, local, position.gpu))
    add(tiers_->inside(position.node, link), bytes);
  add(tiers_->port_down(nic), bytes);
}

void TrunkLoads::out(const Tiers::GpuPosition& position, double bytes) {
  const auto nics = tiers_->nics_at(position);
  for (const std::uint32_t nic : nics) out(position, nic, bytes / static_cast<double>(nics.size()));
}

void TrunkLoads::in(const Tiers::GpuPosition& position, double bytes) {
  const auto nics = tiers_->nics_at(position);
  for (const std::uint32_t nic : nics) in(position, nic, bytes / static_cast<double>(nics.size()));
}

void TrunkLoads::climb(std::uint32_t from_nic, std::uint32_t to_nic, double bytes) {
  const Tiers::Nic &a = tiers_->nic(from_nic), &b = tiers_->nic(to_nic);
  const auto add = [&](std::size_t trunk) {
    uplinks_.bytes[trunk - base_] += bytes;
    uplinks_.squares[trunk - base_] += bytes * bytes;
  };
  if (a.leaf == b.leaf) return;
  add(tiers_->leaf_up(a.leaf));
  add(tiers_->leaf_down(b.leaf));
  if (a.pod == b.pod) return;
  add(tiers_->pod_up(a.pod));
  add(tiers_->pod_down(b.pod));
}

void TrunkLoads::across(Rank from, Rank to, double bytes) {
  const Tiers::GpuPosition& b = tiers_->gpu_position(to);
  if (pxn_ && tiers_->gpu_position(from).rail != b.rail) {
    const Rank proxy = tiers_->on_rail(tiers_->gpu_position(from).node, b.rail);
    if (!proxy.is_none()) {
      inside(from, proxy, bytes);
      from = proxy;
    }
  }
  const Tiers::GpuPosition& a = tiers_->gpu_position(from);
  const auto from_nics = tiers_->nics_at(a), to_nics = tiers_->nics_at(b);
  const std::size_t ways = std::max(from_nics.size(), to_nics.size());
  out(a, bytes);
  in(b, bytes);
  for (std::size_t w = 0; w < ways; ++w) {
    climb(from_nics[w % from_nics.size()], to_nics[w % to_nics.size()],
          bytes / static_cast<double>(ways));
  }
}

void TrunkLoads::exchange(std::span<const Rank> gpus, double each) {
  exchange_.add_uplinks(gpus, each, pxn_, uplinks_);
  by_node_.assign(gpus.begin(), gpus.end());
  std::ranges::sort(by_node_);  // cluster ranks are numbered node by node
  const bool by_rail = pxn_ && exchange_.has_rails(gpus);
  if (by_rail) {
    on_rail_.assign(tiers_->rail_count(), 0);
    for (const Rank gpu : gpus) ++on_rail_[tiers_->gpu_position(gpu).rail];
  }
  for (std::size_t first = 0; first < by_node_.size();) {
    const std::size_t k = exchange_.ranks_on(tiers_->gpu_position(by_node_[first]).node);
    const auto here = std::span<const Rank>(by_node_).subspan(first, k);
    exchange_inside(here, each);
    const double far = each * static_cast<double>(gpus.size() - k);
    if (k < gpus.size()) {
      for (const Rank gpu : here) in(tiers_->gpu_position(gpu), far);
      for (const Rank gpu : here) {
        if (!by_rail) out(tiers_->gpu_position(gpu), far);
      }
      if (by_rail) exchange_by_rail(here, each);
    }
    first += k;
  }
}

void TrunkLoads::exchange_inside(std::span<const Rank> here, double each) {
  for (const Rank from : here) {
    for (const Rank to : here) {
      if (to != from) inside(from, to, each);
    }
  }
}

// Each rank of a node passes bytes for rail r to the GPU of that rail (PXN).
void TrunkLoads::exchange_by_rail(std::span<const Rank> here, double each) {
  const std::uint32_t node = tiers_->gpu_position(here.front()).node;
  for (const std::uint32_t rail : exchange_.rails()) {
    const auto near = std::ranges::count_if(
        here, [&](Rank gpu) { return tiers_->gpu_position(gpu).rail == rail; });
    const double far = each * static_cast<double>(on_rail_[rail] - near);
    const Rank proxy = tiers_->on_rail(node, rail);
    out(tiers_->gpu_position(proxy), far * static_cast<double>(here.size()));
    for (const Rank gpu : here) {
      if (gpu != proxy) inside(gpu, proxy, far);
    }
  }
}

double TrunkLoads::hop_bytes_below() const {
  const std::span<const double> up =
      std::span(bytes_).subspan(tiers_->port_up(0), tiers_->nic_count());
  return 2 * inside_bytes_ + 4 * std::accumulate(up.begin(), up.end(), 0.0);
}

double TrunkLoads::hop_bytes() const {
  const auto sum = [](std::span<const double> bytes) {
    return std::accumulate(bytes.begin(), bytes.end(), 0.0);
  };
  const std::span<const double> uplinks(uplinks_.bytes);
  return hop_bytes_below() + 2 * sum(uplinks.first(tiers_->leaf_count())) +
         2 * sum(uplinks.subspan(2 * tiers_->leaf_count(), tiers_->pod_count()));
}

}  // namespace railyard::placement
