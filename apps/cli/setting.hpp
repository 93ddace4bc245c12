#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "apps/cli/flag_groups.hpp"
#include "apps/output/rows.hpp"
#include "collectives/schedule/collective.hpp"
#include "collectives/schedule/group.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/cluster/faults.hpp"
#include "topology/routing/routing.hpp"

namespace railyard::apps {

/// Reads and builds the cluster of the flags; adds its files and their digests to `provenance`.
/// `switch_model` replaces the switch models of the file, unless it is "".
[[nodiscard]] topology::Cluster load_cluster(const ClusterFlags& flags, Provenance& provenance,
                                             const std::string& switch_model = {});

/// The same without NICs that are failed from the start, because NCCL does not detect them: NICs in
/// --fail ("node3/nic1"), and NICs whose cables all fail ("pod0/leaf3" of a rail fabric). Removes
/// those failures from `fabric`; its other selectors use the new NIC numbers. Adds a note on
/// disconnected NICs to `provenance`.
[[nodiscard]] topology::Cluster load_cluster(const ClusterFlags& flags, FabricFlags& fabric,
                                             Provenance& provenance);

/// Adds the name of the cluster and its number of nodes.
void add_facts(const ClusterFlags& flags, const topology::Cluster& cluster, Provenance& provenance);

/// The ranks of --gpus or --ranks. Throws InputError for ranks that the cluster does not have.
[[nodiscard]] std::shared_ptr<const collectives::Group> group_of(const topology::Cluster& cluster,
                                                                 const ClusterFlags& flags);

/// The collective of the flags, without a size. Throws InputError with all unknown names.
[[nodiscard]] collectives::Collective collective_of(const CollectiveFlags& flags);

/// The collective of --collective, none for "". Throws InputError for an unknown name.
[[nodiscard]] std::optional<collectives::Kind> named_collective(const std::string& text);

/// The sizes of the flags, ascending; by default 1M to 1G.
[[nodiscard]] std::vector<Bytes> sizes_of(const CollectiveFlags& flags);

/// Parses a size. Throws InputError for `flag`.
[[nodiscard]] Bytes size_of_flag(const std::string& text, const std::string& flag);

/// The protocol of the flags; nothing for auto.
[[nodiscard]] std::optional<collectives::Protocol> protocol_of(const CollectiveFlags& flags);

/// --seed, or else fabric.routing.seed of the cluster file [1].
[[nodiscard]] std::uint64_t seed_of(const topology::Cluster& cluster,
                                    std::optional<std::uint64_t> seed);

/// The routing of the cluster file with the changes of the flags; `seed` as for seed_of().
[[nodiscard]] topology::RoutingOptions routing_of(const topology::Cluster& cluster,
                                                  const FabricFlags& flags,
                                                  std::optional<std::uint64_t> seed);

/// Whether a command supports faults that end.
enum class FaultEnds { refused, allowed };

/// The faults of --fail and --degrade. Throws InputError for faults that end, if `ends` is refused.
[[nodiscard]] std::vector<topology::TimedFault> faults_of(const topology::Cluster& cluster,
                                                          const FabricFlags& flags,
                                                          FaultEnds ends = FaultEnds::refused);

}  // namespace railyard::apps
