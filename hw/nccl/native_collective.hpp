#pragma once

#include <cstdint>
#include <string>

#include "collectives/schedule/collective.hpp"
#include "hw/local/block_memory.hpp"
#include "hw/nccl/gpu_calls.hpp"

namespace railyard::hw::nccl {

/// Positions of the buffers of NCCL's own collective in a rank's arena.
struct NativeCollective {
  BlockPlan plan;  ///< of this rank
  std::uint64_t send = 0, receive = 0;
  double tolerance = 0;  ///< allowed difference of results; 0: bit by bit
};

/// Buffers as in nccl-tests; in place, sent data are at the position of received data. all_to_all
/// and send_recv are not available in place.
[[nodiscard]] NativeCollective native_collective(const collectives::Collective& collective,
                                                 std::uint32_t ranks, std::uint32_t me,
                                                 bool in_place);

/// Name of NCCL's call, such as "ncclAlltoAll"; "ncclSend and ncclRecv" if this NCCL has none.
[[nodiscard]] std::string native_name(const NcclFunctions& nccl, collectives::Kind kind);

/// Communicator, stream and memory of a call.
struct NativeCaller {
  Comm comm;
  Stream stream;
  std::byte* arena;
  std::uint32_t ranks, me;
};

/// Enqueues the collective: ncclAllReduce, ncclAllGather, ncclReduceScatter, ncclBroadcast,
/// ncclReduce, ncclAlltoAll (before 2.28 grouped ncclSend and ncclRecv, as in nccl-tests);
/// send_recv is a send and a receive in one group. Throws BackendError.
void enqueue_native(GpuCalls& calls, const NativeCollective& native, const NativeCaller& at);

[[nodiscard]] NcclType nccl_type(collectives::DataType type);
[[nodiscard]] NcclOp nccl_op(collectives::ReduceOp op);

}  // namespace railyard::hw::nccl
