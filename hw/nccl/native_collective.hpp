#pragma once

#include <cstdint>
#include <string>

#include "collectives/schedule/collective.hpp"
#include "hw/local/block_memory.hpp"
#include "hw/nccl/gpu_calls.hpp"

namespace railyard::hw::nccl {

/// A collective of NCCL itself: where its buffers lie in a rank's arena.
struct NativeCollective {
  BlockPlan plan;  ///< of this rank
  std::uint64_t send = 0, receive = 0;
  double tolerance = 0;  ///< by which results may differ; 0: bit by bit
};

/// Buffers as in nccl-tests; in place, sent data are at the position of received data. all_to_all
/// and send_recv are not available in place.
[[nodiscard]] NativeCollective native_collective(const collectives::Collective& collective,
                                                 std::uint32_t ranks, std::uint32_t me,
                                                 bool in_place);

/// "ncclAlltoAll"; for what this NCCL has no call for, "ncclSend and ncclRecv".
[[nodiscard]] std::string native_name(const NcclFunctions& nccl, collectives::Kind kind);

/// Where a rank calls.
struct NativeCaller {
  Comm comm;
  Stream stream;
  std::byte* arena;
  std::uint32_t ranks, me;
};

/// Enqueues it: ncclAllReduce, ncclAllGather, ncclReduceScatter, ncclBroadcast, ncclReduce,
/// ncclAlltoAll (before 2.28 grouped ncclSend and ncclRecv, as nccl-tests does); send_recv is a
/// send and a receive in a group. Throws BackendError.
void enqueue_native(GpuCalls& calls, const NativeCollective& native, const NativeCaller& at);

[[nodiscard]] NcclType nccl_type(collectives::DataType type);
[[nodiscard]] NcclOp nccl_op(collectives::ReduceOp op);

}  // namespace railyard::hw::nccl
