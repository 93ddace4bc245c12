#pragma once

#include <optional>
#include <string>

#include "placement/launch/launch_plan.hpp"
#include "placement/launch/launch_program.hpp"

namespace railyard::placement {

/// Open MPI hostfile: "host slots=8", in the order of first ranks.
[[nodiscard]] std::string openmpi_hostfile(const JobHosts& hosts);

/// Open MPI rankfile: "rank 0=host slot=0-3". Cores of a host are divided evenly among its GPUs in
/// order, and a rank gets those of its GPU. Throws InputError if there are fewer cores than GPUs.
[[nodiscard]] std::string openmpi_rankfile(const JobHosts& hosts, int cores_per_host,
                                           int gpus_per_host);

/// "host:gpu" and local number of each rank, tab-separated with a header line.
[[nodiscard]] std::string rank_table(const JobHosts& hosts);

/// A script that starts the program once per rank with Open MPI's mpirun, on the mapped hosts. It
/// needs no other file.
[[nodiscard]] std::string mpirun_script(const JobHosts& hosts, const LaunchProgram& program);

/// A wrapper for the user's own launcher: runs its arguments with rank_environment(). Nothing if
/// the i-th rank of each host has GPU i.
[[nodiscard]] std::optional<std::string> gpu_wrapper(const JobHosts& hosts);

/// The host of each torchrun node_rank. Nothing if torchrun cannot express the mapping, because it
/// gives consecutive ranks to a node and the same number to each.
[[nodiscard]] std::optional<std::string> torchrun_nodes(const JobHosts& hosts);

}  // namespace railyard::placement
