#include "topology/cluster/read_timings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/config/config_path.hpp"
#include "topology/cluster/cluster_fields.hpp"
#include "topology/node/node_fields.hpp"

namespace railyard::topology {
namespace {

/// The parts of a node file that the time model needs. NCCL XML contains none of them except the
/// compute capability.
struct NodeTimings {
  PcieTiming pcie;
  std::string name;
  GpuFile gpu;
};

NodeTimings node_timings(const std::string& reference, const std::string& referring_file) {
  NodeTimings timings;
  const auto path = core::resolve_config(reference, "nodes", referring_file, "/node");
  if (path.extension() == ".xml") {
    const NodeSpec node = read_node(reference, referring_file);
    timings.name = node.name;
    timings.gpu.compute_capability = node.gpu.compute_capability;
    return timings;
  }
  const core::ConfigNode root = core::ConfigNode::read(path);
  if (const auto pcie = root.find("pcie_timing")) core::read_config(*pcie, timings.pcie);
  if (const auto name = root.find("name"); name && name->text()) timings.name = *name->text();
  if (const auto gpu = root.find("gpu"); gpu && gpu->text()) {
    timings.gpu = core::read_config<GpuFile>(
        core::resolve_config(*gpu->text(), "gpus", path.string(), "/gpu"));
  }
  return timings;
}

}  // namespace

std::string_view generation_of(int compute_capability) {
  if (compute_capability < 80) return "volta";
  if (compute_capability < 89) return "ampere";
  if (compute_capability < 90) return "ada";
  if (compute_capability < 100) return "hopper";
  return compute_capability < 120 ? "blackwell" : "blackwell_pcie";
}

std::string gpu_family(int compute_capability, std::string_view generation) {
  // NVIDIA, CUDA GPU Compute Capability: Volta and Turing, Ampere to Hopper, Blackwell of data
  // centres, Blackwell on PCIe.
  constexpr std::array<std::pair<int, int>, 4> kKnown{{{70, 75}, {80, 90}, {100, 103}, {120, 121}}};
  const bool is_known = std::ranges::any_of(kKnown, [&](const auto& range) {
    return range.first <= compute_capability && compute_capability <= range.second;
  });
  if (is_known) return std::string(generation);
  return fmt::format("compute capability {}.{}", compute_capability / 10, compute_capability % 10);
}

GpuTiming read_gpu_timing(const std::string& reference, const std::string& referring_file) {
  return core::read_config<GpuTimingFile>(
             core::resolve_config(reference, "generations", referring_file, "/timing_of"))
      .timing;
}

FabricTiming read_fabric_timing(const std::string& reference, const std::string& referring_file) {
  return core::read_config<FabricTimingFile>(
             core::resolve_config(reference, "fabrics", referring_file, "/fabric_timing_of"))
      .timing;
}

Timings read_timings(const std::string& cluster) {
  const auto path = core::resolve_config(cluster, "clusters");
  const auto file = core::read_config<ClusterFile>(path);
  const NodeTimings node =
      node_timings(file.groups.empty() ? file.node : file.groups.front().node, path.string());
  Timings timings{.pcie = node.pcie,
                  .generation = node.gpu.timing_of.empty()
                                    ? std::string(generation_of(node.gpu.compute_capability))
                                    : node.gpu.timing_of,
                  .fabric_kind = file.fabric_timing_of.empty()
                                     ? std::string(core::enum_name(file.fabric.transport))
                                     : file.fabric_timing_of,
                  .host = node.name};
  const auto& own = file.gpu_timing ? file.gpu_timing : node.gpu.timing;
  timings.gpu = own ? *own : read_gpu_timing(timings.generation);
  timings.fabric = file.fabric_timing ? *file.fabric_timing
                                      : read_fabric_timing(timings.fabric_kind, path.string());
  return timings;
}

}  // namespace railyard::topology
