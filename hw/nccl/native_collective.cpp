#include "hw/nccl/native_collective.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

#include "collectives/schedule/holdings.hpp"
#include "hw/local/averaging.hpp"
#include "hw/local/test_values.hpp"

namespace railyard::hw::nccl {
namespace {

using collectives::Collective;
using collectives::Kind;

/// Alignment of buffers, as for blocks of schedules.
constexpr std::uint64_t kLine = 64;

/// Blocks of the buffer that is sent, and of the one that is received into.
struct Sizes {
  std::uint64_t sent, received;
};
Sizes sizes_of(Kind kind, std::uint32_t ranks) {
  switch (kind) {
    case Kind::all_gather: return {1, ranks};
    case Kind::reduce_scatter: return {ranks, 1};
    case Kind::all_to_all: return {ranks, ranks};
    default: return {1, 1};
  }
}

void exchange(GpuCalls& calls, const NativeCaller& at, std::size_t bytes, std::byte* send,
              std::uint32_t to, std::byte* receive, std::uint32_t from) {
  const NcclFunctions& nccl = calls.libraries().nccl();
  calls.nccl("ncclSend", nccl.send, send, bytes, int{kNcclInt8}, static_cast<int>(to), at.comm,
             at.stream);
  calls.nccl("ncclRecv", nccl.recv, receive, bytes, int{kNcclInt8}, static_cast<int>(from), at.comm,
             at.stream);
}

void enqueue_all_to_all(GpuCalls& calls, const NativeCollective& native, const NativeCaller& at) {
  const NcclFunctions& nccl = calls.libraries().nccl();
  const std::uint64_t block = native.plan.block_bytes;
  std::byte* send = at.arena + native.send;
  std::byte* receive = at.arena + native.receive;
  if (nccl.all_to_all != nullptr) {
    const std::size_t count =
        block / static_cast<std::uint64_t>(size_of(native.plan.collective.type).count());
    calls.nccl("ncclAlltoAll", nccl.all_to_all, send, receive, count,
               int{nccl_type(native.plan.collective.type)}, at.comm, at.stream);
    return;
  }
  calls.nccl("ncclGroupStart", nccl.group_start);
  for (std::uint32_t peer = 0; peer < at.ranks; ++peer)
    exchange(calls, at, block, send + peer * block, peer, receive + peer * block, peer);
  calls.nccl("ncclGroupEnd", nccl.group_end);
}

void enqueue_send_recv(GpuCalls& calls, const NativeCollective& native, const NativeCaller& at) {
  const NcclFunctions& nccl = calls.libraries().nccl();
  calls.nccl("ncclGroupStart", nccl.group_start);
  exchange(calls, at, native.plan.block_bytes, at.arena + native.send, (at.me + 1) % at.ranks,
           at.arena + native.receive, (at.me + at.ranks - 1) % at.ranks);
  calls.nccl("ncclGroupEnd", nccl.group_end);
}

}  // namespace

NcclType nccl_type(collectives::DataType type) {
  using collectives::DataType;
  switch (type) {
    case DataType::int8: return kNcclInt8;
    case DataType::uint8: return kNcclUint8;
    case DataType::int32: return kNcclInt32;
    case DataType::uint32: return kNcclUint32;
    case DataType::int64: return kNcclInt64;
    case DataType::uint64: return kNcclUint64;
    case DataType::float8_e4m3: return kNcclFloat8e4m3;
    case DataType::float8_e5m2: return kNcclFloat8e5m2;
    case DataType::float16: return kNcclFloat16;
    case DataType::bfloat16: return kNcclBfloat16;
    case DataType::float32: return kNcclFloat32;
    case DataType::float64: break;
  }
  return kNcclFloat64;
}

NcclOp nccl_op(collectives::ReduceOp op) {
  using collectives::ReduceOp;
  switch (op) {
    case ReduceOp::sum: return kNcclSum;
    case ReduceOp::prod: return kNcclProd;
    case ReduceOp::max: return kNcclMax;
    case ReduceOp::avg: return kNcclAvg;
    case ReduceOp::min: break;
  }
  return kNcclMin;
}

NativeCollective native_collective(const Collective& collective, std::uint32_t ranks,
                                   std::uint32_t me, bool in_place) {
  const Kind kind = collective.kind;
  assert(!in_place || (kind != Kind::all_to_all && kind != Kind::send_recv));
  NativeCollective native;
  BlockPlan& plan = native.plan;
  plan.collective = collective;
  plan.ranks = ranks;
  plan.blocks = collectives::block_count(kind, ranks);
  plan.block_bytes =
      static_cast<std::uint64_t>(collectives::block_bytes(collective, ranks).count());
  // NCCL multiplies floats by 1/ranks before it sums them.
  if (is_averaged(collective) && is_float(collective.type) && !std::has_single_bit(ranks))
    native.tolerance = scaling_error(collective.type, ranks);
  const Sizes sizes = sizes_of(kind, ranks);
  const std::uint64_t own = me * plan.block_bytes;
  if (in_place) {
    native.send = kind == Kind::all_gather ? own : 0;
    native.receive = kind == Kind::reduce_scatter ? own : 0;
    plan.arena_bytes = std::max(sizes.sent, sizes.received) * plan.block_bytes;
  } else {
    native.receive = (sizes.sent * plan.block_bytes + kLine - 1) / kLine * kLine;
    plan.arena_bytes = native.receive + sizes.received * plan.block_bytes;
  }
  std::uint64_t at = native.send;
  for (const std::uint64_t block : collectives::blocks_before(collective, ranks, me)) {
    plan.before.push_back({me, block, at});
    at += plan.block_bytes;
  }
  at = native.receive;
  for (const std::uint64_t block : collectives::blocks_after(collective, ranks, me)) {
    plan.after.push_back({me, block, at});
    at += plan.block_bytes;
  }
  return native;
}

std::string native_name(const NcclFunctions& nccl, Kind kind) {
  switch (kind) {
    case Kind::all_reduce: return "ncclAllReduce";
    case Kind::all_gather: return "ncclAllGather";
    case Kind::reduce_scatter: return "ncclReduceScatter";
    case Kind::broadcast: return "ncclBroadcast";
    case Kind::reduce: return "ncclReduce";
    case Kind::all_to_all:
      if (nccl.all_to_all != nullptr) return "ncclAlltoAll";
      break;
    case Kind::send_recv: break;
  }
  return "ncclSend and ncclRecv";
}

void enqueue_native(GpuCalls& calls, const NativeCollective& native, const NativeCaller& at) {
  const NcclFunctions& nccl = calls.libraries().nccl();
  const Collective& collective = native.plan.collective;
  const void* send = at.arena + native.send;
  void* receive = at.arena + native.receive;
  const std::size_t block =
      native.plan.block_bytes / static_cast<std::uint64_t>(size_of(collective.type).count());
  const int type = nccl_type(collective.type);
  const int op = nccl_op(collective.op);
  const int root = static_cast<int>(collective.root);
  switch (collective.kind) {
    case Kind::all_reduce:
      calls.nccl("ncclAllReduce", nccl.all_reduce, send, receive, block, type, op, at.comm,
                 at.stream);
      return;
    case Kind::all_gather:
      calls.nccl("ncclAllGather", nccl.all_gather, send, receive, block, type, at.comm, at.stream);
      return;
    case Kind::reduce_scatter:
      calls.nccl("ncclReduceScatter", nccl.reduce_scatter, send, receive, block, type, op, at.comm,
                 at.stream);
      return;
    case Kind::broadcast:
      calls.nccl("ncclBroadcast", nccl.broadcast, send, receive, block, type, root, at.comm,
                 at.stream);
      return;
    case Kind::reduce:
      calls.nccl("ncclReduce", nccl.reduce, send, receive, block, type, op, root, at.comm,
                 at.stream);
      return;
    case Kind::all_to_all: enqueue_all_to_all(calls, native, at); return;
    case Kind::send_recv: enqueue_send_recv(calls, native, at); return;
  }
}

}  // namespace railyard::hw::nccl
