#include "collectives/nccl/graph/system_graph.hpp"

#include <algorithm>

namespace railyard::collectives::nccl {

int System::min_compute_capability() const {
  return gpus.empty()
             ? 0
             : std::ranges::min(gpus, {}, &SystemGpu::compute_capability).compute_capability;
}

int System::max_compute_capability() const {
  return gpus.empty()
             ? 0
             : std::ranges::max(gpus, {}, &SystemGpu::compute_capability).compute_capability;
}

}  // namespace railyard::collectives::nccl
