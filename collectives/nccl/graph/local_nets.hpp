#pragma once

#include <vector>

#include "collectives/nccl/graph/path_table.hpp"
#include "collectives/nccl/tuning/environment.hpp"
#include "topology/node/nearest_nic.hpp"

namespace railyard::collectives::nccl {

/// What is near a vertex, of one kind (topology::nearest_of); indices are among their kind.
using topology::Nearest;
[[nodiscard]] Nearest nearest(const System& system, const Paths& paths, int from, VertexKind kind);

/// Index of the CPU that is near a GPU (by index): of several the one with the fewest hops (2.28:
/// of all).
[[nodiscard]] int local_cpu(const System& system, const Paths& paths,
                            const SearchEnvironment& environment, int gpu);

/// Index of the NIC port that NCCL gives a GPU for a channel (2.30.7, src/graph/topo.cc,
/// ncclTopoGetLocalNet), -1 where it reaches none. GPUs that share NICs start at number dev mod
/// GPUs (2.28: at dev), its bits mirrored where the NICs are a power of two, and take them in turn
/// by channel.
[[nodiscard]] int local_net(const System& system, const Paths& paths,
                            const SearchEnvironment& environment, int gpu, int channel);

/// Index of the GPU that a NIC port belongs to: the first one that is near it and is given it, -1:
/// none.
[[nodiscard]] int local_gpu(const System& system, const Paths& paths,
                            const SearchEnvironment& environment, int net);

/// The NIC ports of a GPU, in the order of its channels.
[[nodiscard]] std::vector<int> local_nets(const System& system, const Paths& paths,
                                          const SearchEnvironment& environment, int gpu);

/// True where NIC and GPU may use GPUDirect RDMA (ncclTopoCheckGdr); `relays` names the GPU through
/// which a PXN path goes, by gpu x net. `read`: the NIC reads from the GPU (it sends).
struct GpuDirectQuery {
  int gpu = 0;
  int net = 0;
  bool read = false;
};
[[nodiscard]] bool may_use_gpu_direct(const System& system, const Paths& paths,
                                      const SearchEnvironment& environment,
                                      std::span<const int> relays, GpuDirectQuery query);

/// True where a GPU (by index) reaches NICs below its PCIe switches, and another one its own,
/// faster than they reach each other: then NCCL sends over the network between them (2.30.7,
/// src/graph/paths.cc, ncclTopoCheckNet), unless NCCL_NET_DISABLE_INTRA=1. Asks for the bare paths
/// between GPUs and NICs, and for those between GPUs as they are used.
[[nodiscard]] bool prefers_network(const System& system, const Paths& paths,
                                   const SearchEnvironment& environment, int from, int to);

}  // namespace railyard::collectives::nccl
