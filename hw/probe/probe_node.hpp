#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hw/probe/host_timing.hpp"
#include "topology/node/host_memory.hpp"
#include "topology/node/node_spec.hpp"

namespace railyard::hw {

/// Whether NCCL describes the GPUs: if possible, always (else an error), or never.
enum class NcclDump : std::uint8_t { automatic, yes, no };

/// How to describe this host.
struct ProbeOptions {
  std::string root = "/";      ///< folder with sys/ and proc/
  std::string nccl_xml{};      ///< a file written by NCCL_TOPO_DUMP_FILE, used instead of the
                               ///< hardware
  std::string libraries{};     ///< folder of libnvidia-ml.so.1
  Bandwidth nic_rate{};        ///< rate of NICs that do not report one; zero: not given
  Bandwidth memory_rate{};     ///< rate at which all cores together copy; zero: measure it
  std::optional<int> ranks{};  ///< without a GPU: ranks of the node
  int processes = 1;           ///< processes of this run on this host
  NcclDump nccl_dump = NcclDump::automatic;
  /// NCCL's description of the node; empty: this program has no NCCL. May throw BackendError.
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
[[nodiscard]] std::vector<std::string> measurement_warnings(double spread, double load, int cores);

/// Describes this host from NCCL's file, NCCL itself, the NVIDIA driver, or its cores. Throws
/// InputError for invalid options and unreadable files; BackendError if the driver fails, or NCCL
/// is required and fails.
[[nodiscard]] ProbedNode probe_node(const ProbeOptions& options);

}  // namespace railyard::hw
