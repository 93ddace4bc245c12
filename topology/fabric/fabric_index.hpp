#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/id.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::topology {

/// A fabric switch, numbered densely in device order.
using SwitchId = Id<struct SwitchTag>;

/// The port by which a NIC connects to the fabric.
struct NicPort {
  LinkId up;    ///< NIC to switch
  LinkId down;  ///< switch to NIC
  SwitchId leaf;
  std::uint32_t position = 0;  ///< number among the NIC ports of the leaf, in device order
};

/// A link that leaves a switch, and the switch at its other end (none() where that is not needed).
struct FabricCable {
  LinkId link;
  SwitchId peer;
};
using Cables = std::span<const FabricCable>;

/// The switches of a fabric and their cables up and down, in the order that routing needs. A class
/// is a set of leaves with the same spines, together with those spines. In a *regular* folded Clos
/// every spine belongs to one class, and every core connects to every class of its connected
/// component. Any switch reached on the way up that shares a class with the destination can then be
/// the turning point, so routing needs no search.
class FabricIndex {
 public:
  static constexpr std::uint32_t kNoClass = ~std::uint32_t{0};

  explicit FabricIndex(const Cluster& cluster);

  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  [[nodiscard]] DeviceId device(SwitchId id) const { return row(id).device; }
  /// The switch id of a device; none() if it is not a fabric switch.
  [[nodiscard]] SwitchId find(DeviceId device) const;
  [[nodiscard]] int tier(SwitchId id) const { return row(id).tier; }

  /// Cables to a higher tier, ordered by the switch at the other end, then by link.
  [[nodiscard]] Cables ups(SwitchId id) const;
  /// All other cables, ordered by the class of the switch at the other end (cores only), then by
  /// that switch, then by link.
  [[nodiscard]] Cables downs(SwitchId id) const;
  /// Cables down to one switch.
  [[nodiscard]] Cables downs_to(SwitchId id, SwitchId peer) const;
  /// Down cables of a core to the spines of one class.
  [[nodiscard]] Cables downs_to_class(SwitchId id, std::uint32_t leaf_class) const;

  /// The fabric ports of a NIC (two in dual-plane fabrics).
  [[nodiscard]] std::span<const NicPort> ports(NodeId node, int nic) const;

  /// The class of a leaf or spine. kNoClass for cores, and for spines without leaves or with leaves
  /// of several classes.
  [[nodiscard]] std::uint32_t class_of(SwitchId id) const { return row(id).switch_class; }
  [[nodiscard]] std::size_t class_count() const { return class_count_; }
  /// The connected component of a switch, without faults.
  [[nodiscard]] std::uint32_t component_of(SwitchId id) const { return row(id).component; }
  /// Whether every cable connects adjacent tiers and all NICs connect to tier 1.
  [[nodiscard]] bool is_layered() const { return is_layered_; }
  /// Whether the fabric is layered and regular (see above), so that routing can use classes alone.
  [[nodiscard]] bool is_regular() const { return is_regular_; }
  /// The number of a NIC port within its component, with an equal range of numbers for every leaf:
  /// the destination index d of D-mod-k routing.
  [[nodiscard]] std::uint32_t ordinal(const NicPort& port) const {
    return row(port.leaf).first_ordinal + port.position;
  }

 private:
  /// The position of an item among `count` items in device order. It gives the position of its
  /// cables where all items have equally many.
  struct Place {
    std::uint32_t number = 0;
    std::uint32_t count = 1;
  };
  /// A switch. Its cables [first, first_down) lead up and [first_down, end) lead down.
  struct Row {
    DeviceId device;
    int tier = 1;
    std::uint32_t first = 0, first_down = 0, end = 0;
    std::uint32_t switch_class = kNoClass;
    std::uint32_t component = 0;
    std::uint32_t first_ordinal = 0;  ///< of a leaf: the ordinal of its first port
    Place in_class;                   ///< of a leaf: its position among the leaves of its class
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
  std::vector<std::uint32_t> switch_of_device_;  ///< index: device id - first_device_
  std::vector<FabricCable> cables_;
  std::vector<std::uint32_t> first_nic_;   ///< by node
  std::vector<std::uint32_t> first_port_;  ///< by NIC of the cluster, and one end entry
  std::vector<NicPort> ports_;
  std::size_t class_count_ = 0;
  std::vector<Place> class_places_;  ///< by class: its position among the classes of its component
  std::uint32_t ports_per_nic_ = 0;  ///< 0 if NICs differ
  bool is_layered_ = false;
  bool is_regular_ = false;
};

}  // namespace railyard::topology
