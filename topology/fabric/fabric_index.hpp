#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/id.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::topology {

/// A fabric switch, numbered densely in device order.
using SwitchId = Id<struct SwitchTag>;

/// Where a NIC is plugged in.
struct NicPort {
  LinkId up;    ///< NIC to switch
  LinkId down;  ///< switch to NIC
  SwitchId leaf;
  std::uint32_t position = 0;  ///< among the NIC ports of that switch, in device order
};

/// A link out of a switch and the switch that it leads to (none() where that does not matter).
struct FabricCable {
  LinkId link;
  SwitchId peer;
};
using Cables = std::span<const FabricCable>;

/// The fabric of a cluster as routing sees it: the switches, their cables up and down, and the
/// order in them. Leaves with the same spines are a class, and so are those spines; in a *regular*
/// folded Clos every spine is in one class and every core reaches every class of its component, so
/// a way up ends below any common class and needs no search.
class FabricIndex {
 public:
  static constexpr std::uint32_t kNoClass = ~std::uint32_t{0};

  explicit FabricIndex(const Cluster& cluster);

  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  [[nodiscard]] DeviceId device(SwitchId id) const { return row(id).device; }
  /// none() for what is not a fabric switch.
  [[nodiscard]] SwitchId find(DeviceId device) const;
  [[nodiscard]] int tier(SwitchId id) const { return row(id).tier; }

  /// Cables to a higher tier, ordered by peer, then link.
  [[nodiscard]] Cables ups(SwitchId id) const;
  /// The other cables, ordered by the class of the peer (for cores), then peer, then link.
  [[nodiscard]] Cables downs(SwitchId id) const;
  /// Down cables to one peer.
  [[nodiscard]] Cables downs_to(SwitchId id, SwitchId peer) const;
  /// Down cables of a core to the spines of one class.
  [[nodiscard]] Cables downs_to_class(SwitchId id, std::uint32_t leaf_class) const;

  /// The ports of a NIC (two in dual-plane fabrics).
  [[nodiscard]] std::span<const NicPort> ports(NodeId node, int nic) const;

  /// Class of a leaf or spine; kNoClass for cores, and for spines with no or unlike leaves.
  [[nodiscard]] std::uint32_t class_of(SwitchId id) const { return row(id).switch_class; }
  [[nodiscard]] std::size_t class_count() const { return class_count_; }
  /// Switches that are joined have the same component (nothing failed).
  [[nodiscard]] std::uint32_t component_of(SwitchId id) const { return row(id).component; }
  /// Every cable joins adjacent tiers and NICs plug into tier 1.
  [[nodiscard]] bool is_layered() const { return is_layered_; }
  /// Layered, and ways can be told from classes alone (see above).
  [[nodiscard]] bool is_regular() const { return is_regular_; }
  /// Number of a NIC port among those of its component, with the same span for every leaf: the
  /// destination index d of D-mod-k routing.
  [[nodiscard]] std::uint32_t ordinal(const NicPort& port) const {
    return row(port.leaf).first_ordinal + port.position;
  }

 private:
  /// Number of a thing among `count` in device order: where its cables are in an even row.
  struct Place {
    std::uint32_t number = 0;
    std::uint32_t count = 1;
  };
  /// A switch: its cables are [first, first_down) up and [first_down, end) down.
  struct Row {
    DeviceId device;
    int tier = 1;
    std::uint32_t first = 0, first_down = 0, end = 0;
    std::uint32_t switch_class = kNoClass;
    std::uint32_t component = 0;
    std::uint32_t first_ordinal = 0;  ///< of a leaf: ordinal of its first port
    Place in_class;                   ///< of a leaf among the leaves of its class
  };
  [[nodiscard]] const Row& row(SwitchId id) const { return rows_[id.index()]; }
  template <class Key>
  [[nodiscard]] static Cables matching(Cables cables, Place guess, std::uint32_t wanted, Key key);
  void number_switches(const Cluster& cluster);
  void collect_cables(const Cluster& cluster);
  void collect_ports(const Cluster& cluster);
  void find_components();
  void find_classes();
  void order_by_class();
  [[nodiscard]] bool check_layered() const;
  [[nodiscard]] bool check_regular() const;
  void number_leaves();
  void find_places();
  [[nodiscard]] std::size_t count_down_classes(SwitchId core) const;

  std::vector<Row> rows_;
  std::uint32_t first_device_ = 0;
  std::vector<std::uint32_t> switch_of_device_;  ///< from first_device_ on
  std::vector<FabricCable> cables_;
  std::vector<std::uint32_t> first_nic_;   ///< by node
  std::vector<std::uint32_t> first_port_;  ///< by NIC in the cluster, and one more
  std::vector<NicPort> ports_;
  std::size_t class_count_ = 0;
  std::vector<Place> class_places_;  ///< of a class among the classes of its component
  std::uint32_t ports_per_nic_ = 0;  ///< 0 where NICs differ
  bool is_layered_ = false;
  bool is_regular_ = false;
};

}  // namespace railyard::topology
