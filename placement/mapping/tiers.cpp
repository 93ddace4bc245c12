#include "placement/mapping/tiers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "topology/cluster/payload.hpp"
#include "topology/fabric/fabric_index.hpp"

namespace railyard::placement {

using topology::Cables;
using topology::Cluster;
using topology::FabricCable;
using topology::FabricIndex;
using topology::NicPort;
using topology::SwitchId;

std::string_view to_text(TrunkTier tier) {
  constexpr std::array<std::string_view, kTrunkTiers> names{"node", "port", "leaf", "pod"};
  return names[static_cast<std::size_t>(tier)];
}

class Tiers::Builder {
 public:
  Builder(Tiers& tiers, const Cluster& cluster)
      : tiers_(tiers),
        cluster_(cluster),
        index_(cluster),
        payload_(topology::payload_fraction(cluster.spec().fabric)) {}

  void build() {
    plug_nics();
    find_seats();
    lay_out();
    measure();
  }

 private:
  double rate(LinkId link) const {
    return cluster_.link(link).bandwidth.bytes_per_second() * payload_;
  }

  // The leaf of a NIC is the set of switches that it connects to; its pod is the set of their
  // classes.
  void plug_nics() {
    std::map<std::vector<SwitchId>, std::uint32_t> leaves;
    std::map<std::vector<std::uint32_t>, std::uint32_t> pods;
    for (std::size_t n = 0; n < cluster_.node_count(); ++n) {
      tiers_.first_nic_.push_back(static_cast<std::uint32_t>(tiers_.nics_.size()));
      const NodeId node(n);
      for (int i = 0; i < cluster_.shape(node).nic_count(); ++i) {
        const std::span<const NicPort> ports = index_.ports(node, i);
        Nic nic;
        double up = 0, down = 0;
        if (!ports.empty()) {
          std::vector<SwitchId> switches;
          for (const NicPort& port : ports) {
            switches.push_back(port.leaf);
            up += rate(port.up);
            down += rate(port.down);
          }
          std::ranges::sort(switches);
          const auto [leaf, is_new] =
              leaves.try_emplace(switches, static_cast<std::uint32_t>(leaves.size()));
          if (is_new) add_leaf(switches, pods);
          nic = {leaf->second, pod_of_leaf_[leaf->second]};
        }
        tiers_.nics_.push_back(nic);
        tiers_.nic_links_.push_back(ports.empty() ? LinkId::none() : ports.front().up);
        port_up_.push_back(up);
        port_down_.push_back(down);
      }
    }
    tiers_.pod_count_ = pods.size();
  }

  void add_leaf(const std::vector<SwitchId>& switches,
                std::map<std::vector<std::uint32_t>, std::uint32_t>& pods) {
    std::vector<std::uint32_t> classes;
    double up = 0, down = 0, width = 0;
    for (const SwitchId at : switches) {
      const Cables cables = index_.ups(at).empty() ? index_.downs(at) : index_.ups(at);
      for (const FabricCable& cable : cables) {
        if (cable.peer.is_none()) continue;  // a NIC
        up += rate(cable.link);
        down += rate(cluster_.link(cable.link).reverse);
        width += 1;
      }
      classes.push_back(index_.class_of(at));
    }
    std::ranges::sort(classes);
    const auto [pod, is_new] = pods.try_emplace(classes, static_cast<std::uint32_t>(pods.size()));
    if (is_new) {
      tiers_.pod_numbers_.push_back(cluster_.device(index_.device(switches.front())).pod);
      pod_spines_.emplace_back();
    }
    tiers_.leaf_devices_.push_back(index_.device(switches.front()));
    pod_of_leaf_.push_back(pod->second);
    leaf_up_.push_back(up);
    leaf_down_.push_back(down);
    leaf_width_.push_back(width);
    for (const SwitchId at : switches) {
      for (const FabricCable& cable : index_.ups(at))
        pod_spines_[pod->second].push_back(cable.peer);
    }
  }

  void find_seats() {
    for (std::size_t n = 0; n < cluster_.node_count(); ++n) {
      const topology::NodeShape& shape = cluster_.shape(NodeId(n));
      tiers_.first_link_.push_back(cluster_.node(NodeId(n)).first_link.index());
      for (int g = 0; g < shape.gpu_count(); ++g) {
        GpuPosition position{.node = static_cast<std::uint32_t>(n),
                             .gpu = static_cast<std::uint32_t>(g)};
        position.first_nic = static_cast<std::uint32_t>(tiers_.gpu_nics_.size());
        for (const int local : shape.nics_of_gpu(g)) {
          const std::uint32_t nic = tiers_.first_nic_[n] + static_cast<std::uint32_t>(local);
          if (tiers_.nics_[nic].leaf == kNone) continue;
          tiers_.gpu_nics_.push_back(nic);
          if (position.nic != kNone) continue;
          position.nic = nic;
          position.leaf = tiers_.nics_[nic].leaf;
          position.pod = tiers_.nics_[nic].pod;
          position.rail = static_cast<std::uint32_t>(shape.rail_of_nic(local));
        }
        position.nic_count =
            static_cast<std::uint32_t>(tiers_.gpu_nics_.size()) - position.first_nic;
        tiers_.rail_count_ = std::max<std::size_t>(tiers_.rail_count_, position.rail + 1);
        tiers_.gpu_positions_.push_back(position);
      }
    }
    tiers_.on_rail_.assign(cluster_.node_count() * tiers_.rail_count_, Rank::none());
    for (std::size_t r = tiers_.gpu_positions_.size(); r-- > 0;) {
      const GpuPosition& position = tiers_.gpu_positions_[r];
      if (position.nic != kNone)
        tiers_.on_rail_[position.node * tiers_.rail_count_ + position.rail] = Rank(r);
    }
  }

  void lay_out() {
    std::size_t links = 0;  // the builder of clusters adds all nodes before the fabric
    for (std::size_t n = 0; n < cluster_.node_count(); ++n)
      links = tiers_.first_link_[n] + cluster_.shape(NodeId(n)).links().size();
    const std::array<std::size_t, kTrunkTiers> counts{
        links, 2 * tiers_.nic_count(), 2 * tiers_.leaf_count(), 2 * tiers_.pod_count()};
    std::size_t at = 0;
    for (std::size_t t = 0; t < kTrunkTiers; ++t) {
      tiers_.ranges_[t] = {at, at + counts[t]};
      at += counts[t];
    }
    tiers_.bandwidth_.assign(at, 0);
    tiers_.widths_.assign(counts[2] + counts[3], 0);
  }

  void measure() {
    const std::size_t base = tiers_.begin(TrunkTier::leaf);
    for (std::size_t i = 0; i < tiers_.range(TrunkTier::node).end; ++i)
      tiers_.bandwidth_[i] = cluster_.link(LinkId(i)).bandwidth.bytes_per_second();
    for (std::uint32_t i = 0; i < tiers_.nic_count(); ++i) {
      tiers_.bandwidth_[tiers_.port_up(i)] = port_up_[i];
      tiers_.bandwidth_[tiers_.port_down(i)] = port_down_[i];
    }
    for (std::uint32_t i = 0; i < tiers_.leaf_count(); ++i) {
      tiers_.bandwidth_[tiers_.leaf_up(i)] = leaf_up_[i];
      tiers_.bandwidth_[tiers_.leaf_down(i)] = leaf_down_[i];
      tiers_.widths_[tiers_.leaf_up(i) - base] = leaf_width_[i];
      tiers_.widths_[tiers_.leaf_down(i) - base] = leaf_width_[i];
    }
    for (std::uint32_t i = 0; i < tiers_.pod_count(); ++i) {
      std::vector<SwitchId>& spines = pod_spines_[i];
      std::ranges::sort(spines);
      const auto last = std::ranges::unique(spines).begin();
      for (auto s = spines.begin(); s != last; ++s) {
        for (const FabricCable& cable : index_.ups(*s)) {
          tiers_.bandwidth_[tiers_.pod_up(i)] += rate(cable.link);
          tiers_.bandwidth_[tiers_.pod_down(i)] += rate(cluster_.link(cable.link).reverse);
          tiers_.widths_[tiers_.pod_up(i) - base] += 1;
          tiers_.widths_[tiers_.pod_down(i) - base] += 1;
        }
      }
    }
  }

  Tiers& tiers_;
  const Cluster& cluster_;
  FabricIndex index_;
  double payload_;
  std::vector<double> port_up_, port_down_, leaf_up_, leaf_down_, leaf_width_;
  std::vector<std::uint32_t> pod_of_leaf_;
  std::vector<std::vector<SwitchId>> pod_spines_;
};

Tiers::Tiers(const Cluster& cluster) : cluster_(&cluster) { Builder(*this, cluster).build(); }

TrunkTier Tiers::tier(TrunkId trunk) const {
  std::size_t t = 0;
  while (trunk.index() >= ranges_[t].end) ++t;
  return static_cast<TrunkTier>(t);
}

std::string Tiers::name(TrunkId trunk) const {
  const TrunkTier at = tier(trunk);
  const std::size_t place = trunk.index() - begin(at);
  switch (at) {
    case TrunkTier::node: return cluster_->name(LinkId(place));
    case TrunkTier::port: {
      const LinkId up = nic_links_[place % nic_count()];
      if (up.is_none()) return "the port of a NIC that is not connected";
      return cluster_->name(place < nic_count() ? up : cluster_->link(up).reverse);
    }
    case TrunkTier::leaf: {
      const std::string leaf = cluster_->name(leaf_devices_[place % leaf_count()]);
      return fmt::format("{} {}", place < leaf_count() ? "uplinks of" : "downlinks to", leaf);
    }
    case TrunkTier::pod:
      return fmt::format("{} pod {}", place < pod_count() ? "uplinks of" : "downlinks to",
                         pod_numbers_[place % pod_count()]);
  }
  return {};
}

}  // namespace railyard::placement
