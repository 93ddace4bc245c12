#include "placement/cost/blocking.hpp"

namespace railyard::placement {
namespace {

bool blocks(const Strategy& s, const GroupCollective& collective) {
  switch (collective.role) {
    case GroupRole::tensor: return !(s.tp_overlap && collective.shape.nodes() == 1);
    case GroupRole::context: return collective.kind != collectives::Kind::send_recv;
    case GroupRole::expert: return !s.ep_overlap;
    default: return false;
  }
}

}  // namespace

bool products_share_multiprocessors(const topology::GpuSpec& gpu) {
  constexpr int kBlackwell = 100;
  return gpu.compute_capability < kBlackwell;
}

Time blocking_start(const TypeContext& context, const Strategy& strategy,
                    const GroupCollective& collective) {
  if (products_share_multiprocessors(context.gpu.gpu) || !blocks(strategy, collective))
    return Time();
  // Measured difference between PyTorch and NCCL alone on 8 B200: 22 to 26 us (SimuMax,
  // configs/system/b200_bf16_ceperm.json, fixed_latency_us of all_reduce, all_gather and
  // reduce_scatter). The same file has 41 and 51 us for an all_to_all over 4 and 8 GPUs; NCCL alone
  // takes 12.
  return Time::microseconds(24);
}

Time pass_collective(const TypeContext& context, const Strategy& strategy,
                     const GroupCollective& collective) {
  const Time alone = context.collective(collective);
  return alone > Time() ? alone + blocking_start(context, strategy, collective) : alone;
}

}  // namespace railyard::placement
