#pragma once

#include "core/config/fields.hpp"
#include "topology/cluster/cluster_spec.hpp"
#include "topology/cluster/timing_fields.hpp"
#include "topology/cluster/topology_names.hpp"
#include "topology/fabric/fabric_check.hpp"

namespace railyard::topology {

/// The contents of configs/clusters/*.json: a cluster, and timing parameters of NCCL that replace
/// those of its fabric and GPU.
struct ClusterFile : ClusterSpec {
  std::string fabric_timing_of{};  ///< name in configs/fabrics; "": chosen by transport
  std::optional<FabricTiming> fabric_timing{};
  std::optional<GpuTiming> gpu_timing{};
  /// Set if the fabric describes one dragonfly group: the number of its nodes.
  std::optional<int> dragonfly_group{};
};

}  // namespace railyard::topology

namespace railyard {

template <>
struct core::Fields<topology::SwitchSpec> {
  using T = topology::SwitchSpec;
  static constexpr std::string_view name = "Switch", doc = "A switch of an explicit fabric.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("name", &T::name, core::required, "name of the switch, for the ends of cables");
    field("tier", &T::tier, core::FieldOptions{.minimum = 1, .maximum = 3},
          "tier of the switch: 1 leaf, 2 spine, 3 core");
  }
};

template <>
struct core::Fields<topology::CableSpec> {
  using T = topology::CableSpec;
  static constexpr std::string_view name = "Cable",
                                    doc = "Equal parallel cables of an explicit fabric.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("a", &T::a, core::required, "one end: name of a switch, or a NIC such as node0/nic3");
    field("b", &T::b, core::required, "other end: name of a switch, or a NIC");
    field("bandwidth", &T::bandwidth, core::required, "bandwidth of one cable, per direction");
    field("latency", &T::latency,
          "latency of the cable, one way; added to port_latency and switch_latency of the fabric");
    field("count", &T::count, core::FieldOptions{.minimum = 1}, "number of parallel cables");
  }
};

template <>
struct core::Fields<topology::RoutingOptions> {
  using T = topology::RoutingOptions;
  static constexpr std::string_view name = "Routing", doc = "Choice among equal-cost paths.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("policy", &T::policy,
          "rail: fixed path by destination; ecmp: hash of the 5-tuple; balanced: ecmp with UDP "
          "source ports chosen to spread flows evenly; adaptive: least loaded path when a flow "
          "starts; spray: every packet separately");
    field("qps", &T::qps, core::FieldOptions{.minimum = 1, .maximum = 128},
          "queue pairs per connection; each carries an equal part of a message");
    field("polarised", &T::polarised, "all switches use the same hash seed (hash polarisation)");
    field("seed", &T::seed, "random seed for ECMP hashing and port choice");
  }
};

template <>
struct core::Fields<topology::FabricSpec> {
  using T = topology::FabricSpec;
  static constexpr std::string_view name = "Fabric", doc = "A fabric generator and its parameters.";
  template <class Visitor>
  static void list(Visitor& field) {
    constexpr core::FieldOptions kCount{.minimum = 1, .maximum = 1'000'000};
    field("kind", &T::kind, core::required, "fabric generator (docs/models/fabrics.md)");
    field("transport", &T::transport, "network protocol");
    field("port_bandwidth", &T::port_bandwidth,
          "bandwidth of a NIC-to-leaf port, per direction; left out: the rate of the NIC");
    field("fabric_bandwidth", &T::fabric_bandwidth,
          "bandwidth of one link between switches, per direction; left out: the port bandwidth, or "
          "what the numbers of switches and the oversubscription require");
    field("port_latency", &T::port_latency, "latency of a NIC and its cable, one way");
    field("switch_latency", &T::switch_latency, "latency of each switch on a path");
    field("mtu", &T::mtu, core::FieldOptions{.minimum = 1, .maximum = 65536},
          "payload of a full packet in bytes");
    field("packet_overhead", &T::packet_overhead,
          "header and gap bytes of a packet on the wire; left out: by transport, 26 B InfiniBand, "
          "82 B RoCE, 90 B TCP");
    field("nodes_per_unit", &T::nodes_per_unit, kCount,
          "nodes per unit; the nodes of a unit share leaf switches");
    field("units_per_pod", &T::units_per_pod, kCount,
          "units per pod; the units of a pod share spine switches");
    field("spines_per_pod", &T::spines_per_pod, kCount,
          "spine switches per pod; left out: computed from leaf_oversubscription");
    field("cores", &T::cores, kCount,
          "core switches per plane; left out: computed from spine_oversubscription");
    field("leaf_oversubscription", &T::leaf_oversubscription,
          "downlink capacity of a leaf / its uplink capacity");
    field("spine_oversubscription", &T::spine_oversubscription,
          "downlink capacity of a spine / its uplink capacity");
    field("k", &T::k, kCount, "fat_tree: ports per switch");
    field("tiers", &T::tiers, core::FieldOptions{.minimum = 2, .maximum = 3},
          "rail_clos, dual_plane: switch tiers");
    field("routing", &T::routing, "default routing; command-line flags replace it");
    field("switch_model", &T::switch_model,
          "leaf switches: name in configs/switches, or a path; left out: unknown");
    field("spine_switch_model", &T::spine_switch_model,
          "spine switches, likewise; left out: same as the leaves");
    field("core_switch_model", &T::core_switch_model,
          "core switches, likewise; left out: same as the spines");
    field("switches", &T::switches, "explicit: switches");
    field("cables", &T::cables, "explicit: cables");
  }
  static void check(const T& fabric, core::Problems& problems) {
    for (const topology::FabricProblem& problem : topology::check_fabric(fabric))
      problems.add(problem.key, problem.message, problem.hint);
  }
};

template <>
struct core::Fields<topology::StepOverheads> {
  using T = topology::StepOverheads;
  static constexpr std::string_view name = "StepOverheads",
                                    doc = "Software overheads of a collective.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("launch", &T::launch, "once per collective");
    field("nvlink", &T::nvlink, "per step over NVLink");
    field("pcie", &T::pcie, "per step over PCIe");
    field("network", &T::network, "per step between nodes");
  }
};

template <>
struct core::Fields<topology::ProtocolOverheads> {
  using T = topology::ProtocolOverheads;
  static constexpr std::string_view name = "Overheads",
                                    doc =
                                        "Software overheads by NCCL protocol. Defaults: ring "
                                        "latencies of NCCL 2.30.7 (src/graph/tuning.cc).";
  template <class Visitor>
  static void list(Visitor& field) {
    field("ll", &T::ll, "protocol LL");
    field("ll128", &T::ll128, "protocol LL128");
    field("simple", &T::simple, "protocol Simple");
  }
};

template <>
struct core::Fields<topology::NodeGroup> {
  using T = topology::NodeGroup;
  static constexpr std::string_view name = "NodeGroup", doc = "Consecutive equal nodes.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("node", &T::node, core::required,
          "name in configs/nodes, or a path to a JSON file or NCCL topology XML");
    field("count", &T::count, core::FieldOptions{.required = true, .minimum = 1},
          "number of nodes");
  }
};

template <>
struct core::Fields<topology::ClusterFile> {
  using T = topology::ClusterFile;
  static constexpr std::string_view name = "Cluster", doc = "Nodes and the fabric between them.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("name", &T::name, core::required, "name of the cluster");
    field("source", &T::source, "source of the values: document, page or measurement");
    field("node", &T::node, "name in configs/nodes, or a path to a JSON file or NCCL topology XML");
    field("nodes", &T::nodes, core::FieldOptions{.minimum = 1},
          "number of nodes; --nodes replaces it");
    field("groups", &T::groups, "groups of equal nodes in rank order, instead of node and nodes");
    field("fabric", &T::fabric, core::required, "network between the NICs");
    field("fabric_timing_of", &T::fabric_timing_of,
          "fitted NCCL timing of the fabric: a name in configs/fabrics; left out: by transport");
    field("fabric_timing", &T::fabric_timing,
          "fitted NCCL timing of the fabric, instead of a file in configs/fabrics");
    field("gpu_timing", &T::gpu_timing,
          "fitted NCCL timing of the GPUs, instead of that of their files");
    field("dragonfly_group", &T::dragonfly_group, core::FieldOptions{.minimum = 1},
          "number of nodes of a dragonfly group, if the fabric describes one group. More nodes are "
          "rejected, because links between groups are not modelled");
    field("overheads", &T::overheads,
          "software overheads without fitted timing: --timing nominal, and algorithms that NCCL "
          "does not have");
  }
  static void check(const T& cluster, core::Problems& problems) {
    if (cluster.node.empty() && cluster.groups.empty())
      problems.add("node", "a cluster needs node, or groups of nodes");
    if (!cluster.node.empty() && !cluster.groups.empty())
      problems.add("groups", "node and groups exclude each other", "keep one of the two");
    if (!cluster.groups.empty() && cluster.nodes != 1)
      problems.add("nodes", "groups have counts of their own", "leave it out");
  }
};

// Instantiated once, in the source file: the templates behind a description are large.
extern template const core::StructType& core::struct_type<topology::SwitchSpec>();
extern template const core::StructType& core::struct_type<topology::CableSpec>();
extern template const core::StructType& core::struct_type<topology::RoutingOptions>();
extern template const core::StructType& core::struct_type<topology::FabricSpec>();
extern template const core::StructType& core::struct_type<topology::StepOverheads>();
extern template const core::StructType& core::struct_type<topology::ProtocolOverheads>();
extern template const core::StructType& core::struct_type<topology::NodeGroup>();
extern template const core::StructType& core::struct_type<topology::ClusterFile>();

}  // namespace railyard
