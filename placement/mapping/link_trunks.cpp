#include "placement/mapping/link_trunks.hpp"

#include "topology/fabric/fabric_index.hpp"

namespace railyard::placement {
namespace {

using topology::FabricCable;
using topology::NicPort;
using topology::SwitchId;

class Finder {
 public:
  explicit Finder(const Tiers& tiers)
      : tiers_(tiers),
        cluster_(tiers.cluster()),
        index_(cluster_),
        trunks_(cluster_.link_count(), TrunkId::none()) {}

  std::vector<TrunkId> find() {
    // Links of nodes have the lowest numbers, and the same ones as their trunks.
    for (std::size_t i = 0; i < tiers_.range(TrunkTier::node).end; ++i) trunks_[i] = TrunkId(i);
    for (std::size_t n = 0; n < cluster_.node_count(); ++n) {
      const NodeId node(n);
      for (int i = 0; i < cluster_.shape(node).nic_count(); ++i)
        plug(tiers_.first_nic(static_cast<std::uint32_t>(n)) + static_cast<std::uint32_t>(i),
             index_.ports(node, i));
    }
    return std::move(trunks_);
  }

 private:
  void plug(std::uint32_t nic, std::span<const NicPort> ports) {
    for (const NicPort& port : ports) {
      trunks_[port.up.index()] = TrunkId(tiers_.port_up(nic));
      trunks_[port.down.index()] = TrunkId(tiers_.port_down(nic));
      climb(port.leaf, tiers_.nic(nic));
    }
  }

  void climb(SwitchId leaf, const Tiers::Nic& nic) {
    for (const FabricCable& cable : index_.ups(leaf)) {
      if (!trunks_[cable.link.index()].is_none()) return;  // already visited from another NIC
      set(cable, tiers_.leaf_up(nic.leaf), tiers_.leaf_down(nic.leaf));
      for (const FabricCable& above : index_.ups(cable.peer))
        set(above, tiers_.pod_up(nic.pod), tiers_.pod_down(nic.pod));
    }
  }

  void set(const FabricCable& cable, std::size_t up, std::size_t down) {
    trunks_[cable.link.index()] = TrunkId(up);
    trunks_[cluster_.link(cable.link).reverse.index()] = TrunkId(down);
  }

  const Tiers& tiers_;
  const topology::Cluster& cluster_;
  topology::FabricIndex index_;
  std::vector<TrunkId> trunks_;
};

}  // namespace

std::vector<TrunkId> link_trunks(const Tiers& tiers) { return Finder(tiers).find(); }

}  // namespace railyard::placement
