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
  std::string alike;      ///< the node without what differs between equal machines
  std::string transport, source;
  std::int64_t rate = 0;              ///< bits per second of a rank on cores; 0: not measured
  std::int64_t launch = 0, step = 0;  ///< picoseconds
  std::vector<std::string> notes;
};

/// Where a node file names the file of its GPU, until that is known.
inline constexpr std::string_view kGpuFile = "@gpu@";

[[nodiscard]] HostReport report_of(const std::string& host, const ProbedNode& probed);
[[nodiscard]] std::string packed(const HostReport& report);
[[nodiscard]] HostReport unpacked(const std::string& text);

/// Kinds of equal nodes, and the kind of each host.
struct HostKinds {
  std::vector<HostReport> kinds;      ///< the slowest of equal ones: the others wait for it
  std::vector<std::size_t> of_host;   ///< index into kinds, in the order of hosts
  std::vector<std::string> findings;  ///< differences between hosts, a sentence each
};

/// Ranks on cores are of one kind if their rates differ by at most this part.
inline constexpr double kAlikeRates = 0.25;

/// Compares what hosts reported, each with the first and with those before it.
[[nodiscard]] HostKinds kinds_of(const std::vector<HostReport>& reports);

/// Which process describes each host of a world, and in which turn: network namespaces and
/// containers of one machine take turns, because they share its cores and GPUs.
struct ProbeTurns {
  std::vector<std::string> hosts;  ///< in the order of their first process
  bool describes = false;          ///< this process does
  int turn = 0;                    ///< when
  int turns = 1;
  int processes = 1;  ///< of this host
};
[[nodiscard]] ProbeTurns turns_of(const World& world);

}  // namespace railyard::hw
