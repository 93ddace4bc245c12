#pragma once

#include <optional>
#include <string>

#include "placement/launch/launch_plan.hpp"

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

/// A wrapper that gives each process the GPU of its rank by CUDA_VISIBLE_DEVICES, or nothing where
/// GPU i already belongs to the i-th rank of each host. It reads the rank from SLURM_PROCID,
/// OMPI_COMM_WORLD_RANK or RANK.
[[nodiscard]] std::optional<std::string> gpu_wrapper(const JobHosts& hosts);

/// Host of each torchrun node_rank, or nothing where torchrun cannot express the mapping: it gives
/// consecutive ranks to a node, all nodes alike.
[[nodiscard]] std::optional<std::string> torchrun_nodes(const JobHosts& hosts);

}  // namespace railyard::placement
