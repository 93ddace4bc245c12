#pragma once

#include "placement/cost/cost_context.hpp"

namespace railyard::placement {

/// Whether a collective makes progress beside products. Those of Blackwell are persistent kernels
/// of one block for each multiprocessor: blocks whose multiprocessors a collective occupies start
/// when it has ended, and the product ends as much later. Hopper's are too; the shares of its rates
/// (nvlink_in_step) were fitted to steps as if they made room.
[[nodiscard]] bool products_make_room(const topology::GpuSpec& gpu);

/// What a collective of a pass that blocks products takes beyond its own time, and before its bytes
/// move: its stream and that of the products wait for each other, and its ranks do not arrive at
/// once. Nothing for those that do not block: tensor-parallel pieces over user buffers, which use
/// no NCCL; the hops of ring attention; the exchange of experts with ep_overlap; those over
/// replicas and messages between stages. Where products make room, the fitted shares of the rates
/// contain it.
[[nodiscard]] Time blocking_start(const TypeContext& context, const Strategy& strategy,
                                  const GroupCollective& collective);

/// The price of a collective of a pass: TypeContext::collective, and blocking_start unless it takes
/// no time at all.
[[nodiscard]] Time pass_collective(const TypeContext& context, const Strategy& strategy,
                                   const GroupCollective& collective);

}  // namespace railyard::placement
