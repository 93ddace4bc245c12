#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "topology/cluster/cluster.hpp"
#include "topology/cluster/cluster_spec.hpp"
#include "topology/cluster/faults.hpp"

/// Failures of whole NICs ("node3/nic1"). A NIC that failed before NCCL starts is removed both from
/// NCCL's graph and from the simulated cluster. A NIC that fails later stops NCCL, unless other
/// NICs of the same GPU take over (docs/models/faults.md).
namespace railyard::topology {

/// A NIC of a cluster, by node number and number in the node.
struct NicName {
  int node = 0;
  int nic = 0;
  friend bool operator==(const NicName&, const NicName&) = default;
};

/// Parses "node3/nic1"; nothing for any other text.
[[nodiscard]] std::optional<NicName> parse_nic(std::string_view text);

/// A whole-NIC failure requested with --fail. "node3/nic1@2ms" fails during the run, so `at_start`
/// is false. parse_nic_failure() returns nothing for all other selectors, including single cables
/// of a NIC.
struct NicFailure {
  NicName name;
  bool at_start = true;
};
[[nodiscard]] std::optional<NicFailure> parse_nic_failure(std::string_view text);

[[nodiscard]] bool has_nic(const ClusterSpec& spec, const NicName& name);

/// Removes a NIC from a cluster; the other NICs of its node are renumbered. Throws InputError if it
/// is the only NIC of a node in a cluster of several nodes.
[[nodiscard]] ClusterSpec without_nic(ClusterSpec spec, const NicName& lost);
/// Rewrites a link selector for the NIC numbers after without_nic(): once node3/nic1 is removed,
/// "node3/nic2" becomes "node3/nic1".
[[nodiscard]] std::string renumbered(std::string_view selector, const NicName& lost);

/// The values of --fail and --degrade as written by the user.
struct FaultTexts {
  std::vector<std::string> failures, degradations;
};
/// Removes the NICs that `texts` declares failed as a whole before NCCL starts. Their entries are
/// removed from `texts`, and the remaining selectors are rewritten for the new NIC numbers. Throws
/// InputError as without_nic() does.
[[nodiscard]] ClusterSpec without_lost_nics(ClusterSpec spec, FaultTexts& texts);

/// NICs whose cables have all failed, ordered by node and number. Their ports are down, so NCCL
/// does not use them.
[[nodiscard]] std::vector<NicName> cut_off_nics(const Cluster& cluster,
                                                std::span<const LinkId> failed);
/// Whether all of `links` are useless once the links in `failed` are down: each ends at a NIC whose
/// cables have all failed, or at a switch whose cables to NICs have all failed.
[[nodiscard]] bool are_dead(const Cluster& cluster, std::span<const LinkId> links,
                            std::span<const LinkId> failed);

/// NICs that are disconnected by failures of cables and switches at the start.
struct CutOff {
  std::vector<std::string> nics{};  ///< "node3/nic1", by node and number
  /// By failure: whether all its links are unused once these NICs are removed (are_dead()), so that
  /// removing the NICs replaces it. Always false for failures during the run.
  std::vector<bool> is_replaced{};
};
/// Finds the NICs that failures at the start disconnect (cut_off_nics()). NCCL starts without them,
/// exactly as without NICs that failed themselves.
[[nodiscard]] CutOff cut_off_by(const Cluster& cluster, std::span<const TimedFault> failures);
/// The failures as written, with those that are replaced removed and those of the disconnected NICs
/// added.
[[nodiscard]] std::vector<std::string> with_cut_off_nics(std::vector<std::string> failures,
                                                         const CutOff& cut);
/// "failed links cut off 2 NICs (node0/nic0, node1/nic0): NCCL starts without them". At least one.
[[nodiscard]] std::string to_text(const CutOff& cut);

/// Whether some GPU of the node uses this NIC together with other NICs, which can then take over
/// its traffic.
[[nodiscard]] bool has_partner(const Cluster& cluster, const NicName& nic);

}  // namespace railyard::topology
