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
    field("name", &T::name, core::required, "what cables call it");
    field("tier", &T::tier, core::FieldOptions{.minimum = 1, .maximum = 3},
          "1 leaf, 2 spine, 3 core");
  }
};

template <>
struct core::Fields<topology::CableSpec> {
  using T = topology::CableSpec;
  static constexpr std::string_view name = "Cable", doc = "Equal cables of an explicit fabric.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("a", &T::a, core::required, "a switch, or a NIC: node0/nic3");
    field("b", &T::b, core::required, "a switch, or a NIC");
    field("bandwidth", &T::bandwidth, core::required, "of one cable, per direction");
    field("latency", &T::latency, "beside the fabric's port_latency and switch_latency");
    field("count", &T::count, core::FieldOptions{.minimum = 1}, "how many in parallel");
  }
};

template <>
struct core::Fields<topology::RoutingOptions> {
  using T = topology::RoutingOptions;
  static constexpr std::string_view name = "Routing", doc = "How equal paths are chosen among.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("policy", &T::policy,
          "rail: by destination; ecmp: by hash; balanced: by hash of chosen "
          "source ports; adaptive: least loaded; spray: every packet anew");
    field("qps", &T::qps, core::FieldOptions{.minimum = 1, .maximum = 128},
          "queue pairs per connection");
    field("polarised", &T::polarised, "all switches hash with one seed");
    field("seed", &T::seed, "of the hashes");
  }
};

template <>
struct core::Fields<topology::FabricSpec> {
  using T = topology::FabricSpec;
  static constexpr std::string_view name = "Fabric", doc = "A fabric generator and its parameters.";
  template <class Visitor>
  static void list(Visitor& field) {
    constexpr core::FieldOptions kCount{.minimum = 1, .maximum = 1'000'000};
    field("kind", &T::kind, core::required, "the generator");
    field("transport", &T::transport, "what the fabric speaks");
    field("port_bandwidth", &T::port_bandwidth, "NIC to leaf; left out: the NIC's own rate");
    field("fabric_bandwidth", &T::fabric_bandwidth,
          "one link between switches; left out: that of a port, or what the counts need");
    field("port_latency", &T::port_latency, "NIC and cable, one way");
    field("switch_latency", &T::switch_latency, "each switch that is crossed");
    field("mtu", &T::mtu, core::FieldOptions{.minimum = 1, .maximum = 65536},
          "payload bytes of a packet");
    field("packet_overhead", &T::packet_overhead,
          "wire bytes of a packet beside its payload; left out: by transport");
    field("nodes_per_unit", &T::nodes_per_unit, kCount, "nodes that share leaf switches");
    field("units_per_pod", &T::units_per_pod, kCount, "units that share spine switches");
    field("spines_per_pod", &T::spines_per_pod, kCount, "left out: from leaf_oversubscription");
    field("cores", &T::cores, kCount, "in a plane; left out: from spine_oversubscription");
    field("leaf_oversubscription", &T::leaf_oversubscription,
          "capacity down over capacity up of a leaf");
    field("spine_oversubscription", &T::spine_oversubscription,
          "capacity down over capacity up of a spine");
    field("k", &T::k, kCount, "ports of a switch of a fat tree");
    field("tiers", &T::tiers, core::FieldOptions{.minimum = 2, .maximum = 3},
          "of a rail_clos or a plane of dual_plane");
    field("routing", &T::routing, "the default; the command line overrides it");
    field("switch_model", &T::switch_model,
          "switch of the fabric: a name in configs/switches, or a path; left out: not known");
    field("spine_switch_model", &T::spine_switch_model, "left out: as the leaves");
    field("core_switch_model", &T::core_switch_model, "left out: as the spines");
    field("switches", &T::switches, "of an explicit fabric");
    field("cables", &T::cables, "of an explicit fabric");
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
                                    doc = "What software adds to a collective.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("launch", &T::launch, "once");
    field("nvlink", &T::nvlink, "each step over NVLink");
    field("pcie", &T::pcie, "each step over PCIe");
    field("network", &T::network, "each step between nodes");
  }
};

template <>
struct core::Fields<topology::ProtocolOverheads> {
  using T = topology::ProtocolOverheads;
  static constexpr std::string_view name = "Overheads",
                                    doc = "Overheads by NCCL protocol; NCCL's where left out.";
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
  static constexpr std::string_view name = "NodeGroup", doc = "A run of equal nodes.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("node", &T::node, core::required, "name in configs/nodes, or a path to JSON or NCCL XML");
    field("count", &T::count, core::FieldOptions{.required = true, .minimum = 1}, "how many");
  }
};

template <>
struct core::Fields<topology::ClusterFile> {
  using T = topology::ClusterFile;
  static constexpr std::string_view name = "Cluster", doc = "Nodes and the fabric between them.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("name", &T::name, core::required, "what it is called");
    field("source", &T::source, "where the numbers are from");
    field("node", &T::node, "name in configs/nodes, or a path to JSON or NCCL XML");
    field("nodes", &T::nodes, core::FieldOptions{.minimum = 1}, "how many; --nodes overrides it");
    field("groups", &T::groups, "instead of node and nodes: several kinds, in the order of ranks");
    field("fabric", &T::fabric, core::required, "what joins the NICs");
    field(
        "fabric_timing_of", &T::fabric_timing_of,
        "whose timing the fabric has: a name in configs/fabrics; left out: that of its transport");
    field("fabric_timing", &T::fabric_timing,
          "what NCCL takes on the fabric, instead of a file in configs/fabrics");
    field("gpu_timing", &T::gpu_timing,
          "what NCCL takes on the GPUs, instead of what their files say");
    field(
        "dragonfly_group", &T::dragonfly_group, core::FieldOptions{.minimum = 1},
        "nodes of one group of a dragonfly, which the fabric describes; more are refused, because "
        "links between groups are not modelled");
    field("overheads", &T::overheads, "software's part of each step");
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
