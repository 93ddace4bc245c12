#include "collectives/nccl/timing/p2p_plan.hpp"

#include <algorithm>

#include "collectives/nccl/graph/compute_capability.hpp"

namespace railyard::collectives::nccl {
namespace {

constexpr std::int64_t kKiB = 1024;

std::int64_t divided_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

std::int64_t asked_step(const Communicator& communicator, const P2pSettings& settings) {
  if (communicator.nodes > 1) {
    // 256 KiB on ARM hosts with B200, otherwise 128 KiB.
    const bool large = communicator.cpu_vendor == CpuVendor::arm &&
                       communicator.min_compute_capability >= kBlackwell;
    return settings.net_chunk.value_or((large ? 256 : 128) * kKiB);
  }
  const auto& ring = communicator.graph(GraphId::ring);
  const bool nvlink = ring && ring->type_intra < PathType::pix;
  if (nvlink) return settings.nvlink_chunk.value_or(512 * kKiB);
  return settings.pcie_chunk.value_or(128 * kKiB);
}

/// The channels of a message. A part is at least half a step (an eighth within a node), and at most
/// one step (32 within a node) as long as the peer has free channels.
int channels_for(const P2pLimits& limits, std::int64_t bytes) {
  const std::int64_t step = limits.step;
  const int most = std::max(1, limits.per_peer);
  int least = most;
  while (std::int64_t{least} * limits.ranks > limits.channels && least > 1) least /= 2;
  if (bytes == 0) return 1;
  const bool several = limits.nodes > 1;
  const std::int64_t min_part = several ? step / 2 : step / 8;
  const std::int64_t max_part = several ? step : step * 32;
  int channels = static_cast<int>(
      std::min<std::int64_t>(least, divided_up(bytes, std::max<std::int64_t>(1, min_part))));
  std::int64_t part = std::max(min_part, divided_up(bytes, channels));
  while (part > max_part && channels <= most / 2) {
    channels *= 2;
    part = divided_up(bytes, channels);
  }
  return channels;
}

}  // namespace

std::int64_t p2p_step(const Communicator& communicator, const P2pSettings& settings) {
  return std::min(asked_step(communicator, settings),
                  slot_payload(settings.buffers, Protocol::simple));
}

P2pLimits p2p_limits(const Communicator& communicator, const P2pSettings& settings) {
  return {.nodes = communicator.nodes,
          .ranks = communicator.ranks,
          .channels = communicator.channels.p2p,
          .per_peer = communicator.channels.p2p_per_peer,
          .step = p2p_step(communicator, settings),
          .ll_threshold = settings.ll_threshold,
          .ll_step = settings.buffers.ll / kSlots};
}

P2pPlan plan_p2p(const P2pLimits& limits, std::int64_t bytes, bool network) {
  const std::int64_t step = limits.step;
  P2pPlan plan{.channels = channels_for(limits, bytes),
               .protocol = Protocol::simple,
               .step = step,
               .chunk = step};
  if (!network && bytes <= plan.channels * limits.ll_threshold) {
    // Flags are half of each line of LL.
    plan.protocol = Protocol::ll;
    plan.step = limits.ll_step;
    plan.chunk = limits.ll_step / 2;
    return plan;
  }
  if (network && bytes < step)
    plan.chunk /= 4;
  else if (network && bytes < 8 * step)
    plan.chunk /= 2;
  plan.chunk = std::max<std::int64_t>(1, plan.chunk);
  return plan;
}

P2pPlan plan_p2p(const Communicator& communicator, const P2pSettings& settings, std::int64_t bytes,
                 bool network) {
  return plan_p2p(p2p_limits(communicator, settings), bytes, network);
}

}  // namespace railyard::collectives::nccl
