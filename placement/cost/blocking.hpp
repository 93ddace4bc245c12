#pragma once

#include "placement/cost/cost_context.hpp"

namespace railyard::placement {

/// Whether products leave multiprocessors to a concurrent collective (GPUs before Blackwell).
/// Products on Blackwell are persistent kernels with one block per multiprocessor. Blocks whose
/// multiprocessors a collective occupies start only after it, and the product ends that much later.
/// Hopper has such kernels too, but its rates during steps (nvlink_in_step) were fitted under this
/// assumption.
[[nodiscard]] bool products_share_multiprocessors(const topology::GpuSpec& gpu);

/// Additional time of a collective that blocks products: its stream and the products' stream wait
/// for each other, and ranks arrive at different times. 0 for collectives that do not block:
/// tensor-parallel pieces over user buffers (no NCCL), messages of ring attention, all-to-all with
/// ep_overlap, collectives over replicas, and messages between stages. 0 if
/// products_share_multiprocessors: there the fitted rates include it.
[[nodiscard]] Time blocking_start(const TypeContext& context, const Strategy& strategy,
                                  const GroupCollective& collective);

/// Time of a collective during a pass: TypeContext::collective plus blocking_start; 0 if the
/// collective moves nothing.
[[nodiscard]] Time pass_collective(const TypeContext& context, const Strategy& strategy,
                                   const GroupCollective& collective);

}  // namespace railyard::placement
