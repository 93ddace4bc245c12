#include "topology/fabric/clos.hpp"

#include <algorithm>

namespace railyard::topology {
namespace {

/// The switches of one plane.
struct Plane {
  std::vector<DeviceId> leaves, spines, cores;
};

class Wiring {
 public:
  Wiring(ClusterBuilder& builder, const ClosPlan& plan)
      : builder_(builder),
        plan_(plan),
        pods_((plan.leaves + plan.leaves_per_pod - 1) / plan.leaves_per_pod),
        spines_(plan.leaves > 1 ? plan.leaf_up.switches : 0),
        cores_of_spine_(pods_ > 1 ? plan.spine_up.switches : 0) {}

  void run() {
    std::vector<Plane> planes;
    for (int plane = 0; plane < plan_.planes; ++plane) planes.push_back(add_switches(plane));
    connect_nics(planes);
    for (const Plane& plane : planes) {
      connect_leaves(plane);
      connect_spines(plane);
    }
  }

 private:
  Plane add_switches(int plane) {
    const auto add = [&](DeviceKind kind, int index, int pod) {
      return builder_.add_switch({.kind = kind,
                                  .plane = static_cast<std::uint8_t>(plane),
                                  .index = static_cast<std::uint32_t>(index),
                                  .pod = static_cast<std::uint32_t>(pod)});
    };
    Plane added;
    for (int leaf = 0; leaf < plan_.leaves; ++leaf)
      added.leaves.push_back(
          add(DeviceKind::leaf, leaf % plan_.leaves_per_pod, leaf / plan_.leaves_per_pod));
    for (int pod = 0; pod < pods_; ++pod)
      for (int spine = 0; spine < spines_; ++spine)
        added.spines.push_back(add(DeviceKind::spine, spine, pod));
    for (int core = 0; core < spines_ * cores_of_spine_; ++core)
      added.cores.push_back(add(DeviceKind::core, core, 0));
    return added;
  }

  void connect_nics(const std::vector<Plane>& planes) {
    const FabricSpec& fabric = builder_.fabric();
    for (std::size_t nic = 0; nic < builder_.nics().size(); ++nic) {
      const auto leaf = static_cast<std::size_t>(plan_.leaf_of_nic[nic]);
      for (const Plane& plane : planes)
        builder_.connect(
            {.a = builder_.nics()[nic],
             .b = plane.leaves[leaf],
             .kind = LinkKind::port,
             .bandwidth = fabric.port_bandwidth.value_or(builder_.nic_rate(nic) / plan_.planes),
             .a_to_b = fabric.port_latency,
             .b_to_a = fabric.switch_latency + fabric.port_latency});
    }
  }

  void connect_leaves(const Plane& plane) {
    for (std::size_t leaf = 0; leaf < plane.leaves.size(); ++leaf) {
      const std::size_t pod = leaf / static_cast<std::size_t>(plan_.leaves_per_pod);
      for (std::size_t spine = 0; spine < static_cast<std::size_t>(spines_); ++spine)
        connect_switches(plane.leaves[leaf],
                         plane.spines[pod * static_cast<std::size_t>(spines_) + spine],
                         plan_.leaf_up);
    }
  }

  void connect_spines(const Plane& plane) {
    const auto group = static_cast<std::size_t>(cores_of_spine_);
    for (std::size_t spine = 0; spine < plane.spines.size(); ++spine) {
      const std::size_t first = spine % static_cast<std::size_t>(spines_) * group;
      for (std::size_t core = first; core < first + group; ++core)
        connect_switches(plane.spines[spine], plane.cores[core], plan_.spine_up);
    }
  }

  void connect_switches(DeviceId below, DeviceId above, const Uplinks& uplinks) {
    const Time latency = builder_.fabric().switch_latency;
    builder_.connect({.a = below,
                      .b = above,
                      .kind = LinkKind::fabric,
                      .bandwidth = uplinks.bandwidth,
                      .a_to_b = latency,
                      .b_to_a = latency,
                      .count = uplinks.parallel});
  }

  ClusterBuilder& builder_;
  const ClosPlan& plan_;
  int pods_;
  int spines_;
  int cores_of_spine_;
};

}  // namespace

void wire_clos(ClusterBuilder& builder, const ClosPlan& plan) { Wiring(builder, plan).run(); }

}  // namespace railyard::topology
