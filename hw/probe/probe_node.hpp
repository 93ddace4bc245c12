#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hw/probe/host_timing.hpp"
#include "topology/node/host_memory.hpp"
#include "topology/node/node_spec.hpp"

namespace railyard::hw {

/// Whether NCCL describes the GPUs: if it can, always (or fail), or never.
enum class NcclDump : std::uint8_t { automatic, yes, no };

/// How to describe this host.
struct ProbeOptions {
  std::string root = "/";      ///< folder that holds sys/ and proc/
  std::string nccl_xml{};      ///< a file of NCCL_TOPO_DUMP_FILE, used instead of the hardware
  std::string libraries{};     ///< folder of libnvidia-ml.so.1
  Bandwidth nic_rate{};        ///< of NICs whose rate is unknown; zero: not given
  Bandwidth memory_rate{};     ///< what all cores copy together; zero: measure it
  std::optional<int> ranks{};  ///< without a GPU: ranks of the node
  int processes = 1;           ///< of this run on this host
  NcclDump nccl_dump = NcclDump::automatic;
  /// The node as NCCL describes it; not set: this program has no NCCL. Throws BackendError.
  std::function<std::string()> nccl_topology{};
};

/// The results of a probe of this host.
struct ProbedNode {
  topology::NodeSpec node;
  std::optional<topology::HostMemory> memory;  ///< ranks on cores: size and rate of the cache
  std::optional<HostTiming> timing;            ///< ranks on cores, if measured
  std::string transport;                       ///< of its NICs: "infiniband", "roce", "tcp"
  std::vector<std::string> notes;              ///< assumptions and omissions, a sentence each
};

/// Warnings about a measurement of cores whose rounds differed by `spread` (HostTiming) after that
/// load average: the results may be wrong.
[[nodiscard]] std::vector<std::string> doubts(double spread, double load, int cores);

/// Describes this host from NCCL's file, NCCL itself, the NVIDIA driver, or its cores. Throws
/// InputError (options, unreadable files), BackendError (the driver fails, or NCCL is required and
/// fails).
[[nodiscard]] ProbedNode probe_node(const ProbeOptions& options);

}  // namespace railyard::hw
