#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "topology/cluster/cluster.hpp"
#include "topology/cluster/cluster_spec.hpp"
#include "topology/cluster/faults.hpp"

/// NICs that fail as a whole ("node3/nic1"). One that has failed before NCCL starts is not part of
/// NCCL's graph, nor of the cluster that is simulated; one that fails later stops NCCL, unless the
/// other ports of the same GPU take over (docs/models/faults.md).
namespace railyard::topology {

/// A NIC of a cluster.
struct NicName {
  int node = 0;
  int nic = 0;
  friend bool operator==(const NicName&, const NicName&) = default;
};

/// Reads "node3/nic1"; nothing for any other text.
[[nodiscard]] std::optional<NicName> parse_nic(std::string_view text);

/// What --fail asks for a whole NIC: "node3/nic1@2ms" fails during the run. Nothing for other
/// selectors, among them cables of a NIC.
struct NicFailure {
  NicName name;
  bool at_start = true;
};
[[nodiscard]] std::optional<NicFailure> parse_nic_failure(std::string_view text);

[[nodiscard]] bool has_nic(const ClusterSpec& spec, const NicName& name);

/// The cluster without a NIC that it has. Throws InputError where it is the only one of a node
/// among several.
[[nodiscard]] ClusterSpec without_nic(ClusterSpec spec, const NicName& lost);
/// `selector` with the numbers that NICs have in without_nic(): "node3/nic2" is node3/nic1 once
/// node3/nic1 is lost.
[[nodiscard]] std::string renumbered(std::string_view selector, const NicName& lost);

/// Values of --fail and --degrade, as users write them.
struct FaultTexts {
  std::vector<std::string> failures, degradations;
};
/// The cluster without the NICs that `texts` fails as a whole before NCCL starts. These failures
/// are taken out of `texts`, whose other selectors get the numbers that NICs have then. Throws
/// InputError as without_nic() does.
[[nodiscard]] ClusterSpec without_lost_nics(ClusterSpec spec, FaultTexts& texts);

/// NICs all of whose cables are among the failed links, by node and number: their ports are down,
/// so NCCL does not use them.
[[nodiscard]] std::vector<NicName> cut_off_nics(const Cluster& cluster,
                                                std::span<const LinkId> failed);
/// Whether nothing can use the links once the NICs that `failed` cuts off are gone: each ends at
/// such a NIC, or at a switch that joined such NICs only.
[[nodiscard]] bool are_dead(const Cluster& cluster, std::span<const LinkId> links,
                            std::span<const LinkId> failed);

/// What failures from the start cut off.
struct CutOff {
  std::vector<std::string> nics{};  ///< "node3/nic1", by node and number
  /// By failure: whether it is without effect once these NICs are gone. Failures during the run
  /// are not.
  std::vector<bool> is_replaced{};
};
/// Cables and switches that fail from the start by the NICs that they cut off (cut_off_nics(),
/// are_dead()): NCCL starts without these NICs, as without those that fail themselves.
[[nodiscard]] CutOff cut_off_by(const Cluster& cluster, std::span<const TimedFault> failures);

/// Whether a GPU uses the NIC together with others, so that they can take over.
[[nodiscard]] bool has_partner(const Cluster& cluster, const NicName& nic);

}  // namespace railyard::topology
