#pragma once

#include <vector>

#include "collectives/nccl/graph/path_table.hpp"
#include "collectives/nccl/tuning/environment.hpp"
#include "topology/node/nearest_nic.hpp"

namespace railyard::collectives::nccl {

/// The nearest vertices of one kind (topology::nearest_of), as indices within their kind.
using topology::Nearest;
[[nodiscard]] Nearest nearest(const System& system, const Paths& paths, int from, VertexKind kind);

/// The index of the CPU nearest to a GPU (by index). Among equally near CPUs, the one with the
/// fewest hops; in 2.28 among all CPUs.
[[nodiscard]] int local_cpu(const System& system, const Paths& paths,
                            const SearchEnvironment& environment, int gpu);

/// The index of the NIC port that NCCL assigns to a GPU for a channel (2.30.7, src/graph/topo.cc,
/// ncclTopoGetLocalNet); -1 if no NIC is reachable. GPUs with the same nearest NICs use them in
/// turn by channel. The first NIC of a GPU has index dev mod (number of these GPUs) (2.28: dev),
/// with its bits reversed if the number of NICs is a power of two.
[[nodiscard]] int local_net(const System& system, const Paths& paths,
                            const SearchEnvironment& environment, int gpu, int channel);

/// The index of the GPU that uses a NIC port: the first of the nearest GPUs to which NCCL assigns
/// the port; -1 if there is none.
[[nodiscard]] int local_gpu(const System& system, const Paths& paths,
                            const SearchEnvironment& environment, int net);

/// The NIC ports of a GPU, in channel order.
[[nodiscard]] std::vector<int> local_nets(const System& system, const Paths& paths,
                                          const SearchEnvironment& environment, int gpu);

/// A NIC and a GPU, and the direction of the transfer.
struct GpuDirectQuery {
  int gpu = 0;
  int net = 0;
  bool read = false;  ///< the NIC reads from the GPU (sends)
};
/// Whether a NIC and a GPU can use GPUDirect RDMA (ncclTopoCheckGdr). `relays`: by gpu x net, the
/// GPU that relays a PXN path.
[[nodiscard]] bool may_use_gpu_direct(const System& system, const Paths& paths,
                                      const SearchEnvironment& environment,
                                      std::span<const int> relays, GpuDirectQuery query);

/// Whether NCCL sends between two GPUs of a node (by index) over the network (2.30.7,
/// src/graph/paths.cc, ncclTopoCheckNet): both reach NICs below their PCIe switches faster than
/// they reach each other. Never with NCCL_NET_DISABLE_INTRA=1. `paths`: direct paths between GPUs
/// and NICs, final paths between GPUs.
[[nodiscard]] bool prefers_network(const System& system, const Paths& paths,
                                   const SearchEnvironment& environment, int from, int to);

}  // namespace railyard::collectives::nccl
