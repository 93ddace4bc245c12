#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hw/probe/probe_node.hpp"
#include "hw/world/world.hpp"

namespace railyard::hw {

/// The results of a host's probe, in the form that is sent to process 0.
struct HostReport {
  std::string host;
  std::string node_file;  ///< NCCL XML, or a node file that names its GPU kGpuFile
  std::string gpu_file;   ///< "" with XML
  std::string alike;      ///< node text without values that differ between equal machines
  std::string transport, source;
  std::int64_t rate = 0;              ///< bits per second of a rank on cores; 0: not measured
  std::int64_t launch = 0, step = 0;  ///< picoseconds
  std::vector<std::string> notes;
};

/// Placeholder in a node file for the file name of its GPU.
inline constexpr std::string_view kGpuFile = "@gpu@";

[[nodiscard]] HostReport report_of(const std::string& host, const ProbedNode& probed);
[[nodiscard]] std::string packed(const HostReport& report);
[[nodiscard]] HostReport unpacked(const std::string& text);

/// Distinct kinds of nodes, and the kind of each host.
struct HostKinds {
  std::vector<HostReport> kinds;      ///< the slowest host of each kind, because the others wait
                                      ///< for it
  std::vector<std::size_t> of_host;   ///< index into kinds, in the order of hosts
  std::vector<std::string> findings;  ///< differences between hosts, a sentence each
};

/// Ranks on cores are of one kind if their rates differ by at most this fraction.
inline constexpr double kAlikeRates = 0.25;

/// Groups the reports of hosts into kinds, and describes differences from the first host and from
/// earlier ones.
[[nodiscard]] HostKinds kinds_of(const std::vector<HostReport>& reports);

/// The process that describes each host of a world, and its turn. Network namespaces and containers
/// of one machine take turns, because they share its cores and GPUs.
struct ProbeTurns {
  std::vector<std::string> hosts;  ///< in the order of their first process
  bool describes = false;          ///< whether this process describes its host
  int turn = 0;                    ///< turn of this process
  int turns = 1;
  int processes = 1;  ///< of this host
};
[[nodiscard]] ProbeTurns turns_of(const World& world);

}  // namespace railyard::hw
