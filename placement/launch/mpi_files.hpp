#pragma once

#include <optional>
#include <string>

#include "placement/launch/launch_plan.hpp"
#include "placement/launch/launch_program.hpp"

namespace railyard::placement {

/// Open MPI hostfile: "host slots=8", in the order of first ranks.
[[nodiscard]] std::string openmpi_hostfile(const JobHosts& hosts);

/// Open MPI rankfile: "rank 0=host slot=0-3". A rank gets the cores that belong to its GPU when the
/// cores of a host are dealt evenly to its GPUs in order. Throws InputError when there are fewer
/// cores than GPUs.
[[nodiscard]] std::string openmpi_rankfile(const JobHosts& hosts, int cores_per_host,
                                           int gpus_per_host);

/// "host:gpu" and local number of each rank, tab-separated with a header line.
[[nodiscard]] std::string rank_table(const JobHosts& hosts);

/// A script that starts the program once per rank with Open MPI's mpirun, with the ranks where the
/// mapping has them. It needs no other file.
[[nodiscard]] std::string mpirun_script(const JobHosts& hosts, const LaunchProgram& program);

/// A wrapper for launchers of one's own: it runs its arguments with rank_environment(), or nothing
/// where GPU i already belongs to the i-th rank of each host.
[[nodiscard]] std::optional<std::string> gpu_wrapper(const JobHosts& hosts);

/// Host of each torchrun node_rank, or nothing where torchrun cannot express the mapping: it gives
/// consecutive ranks to a node, all nodes alike.
[[nodiscard]] std::optional<std::string> torchrun_nodes(const JobHosts& hosts);

}  // namespace railyard::placement
