#include <algorithm>
#include <limits>

#include "collectives/nccl/tuning/tuning_terms.hpp"

namespace railyard::collectives::nccl {
namespace {

using enum TuningAlgorithm;

/// NCCL's floats and doubles are kept as they are: a choice between nearly equal ways depends on
/// how they round.
struct Bus {
  float bandwidth = 0;
  Limit limit = Limit::intra;

  /// A product in double, stored in float.
  void cap(double own, double most) {
    if (most < own) limit = Limit::protocol;
    bandwidth = static_cast<float>(std::min(own, most));
  }
};

double column(const TuningConstants::PerGeneration& table, std::size_t row, int nodes) {
  return table[row][nodes <= 2 ? static_cast<std::size_t>(nodes - 1) : 2];
}

float ranks_per_node(const Communicator& communicator) {
  return static_cast<float>(communicator.ranks) / static_cast<float>(communicator.nodes);
}

/// Per channel. On two nodes a ring or tree channel passes each NIC once for twice the bytes that
/// it passes between GPUs, so NCCL counts the intra-node bandwidth there.
Bus channel_bandwidth(const TuningCase& entry) {
  const Graph& graph = entry.graph;
  const bool collnet = entry.is(collnet_direct) || entry.is(collnet_chain);
  if (entry.communicator.nodes <= 2 || collnet) {
    const bool nic = entry.communicator.nodes > 1 && graph.bandwidth_inter <= graph.bandwidth_intra;
    return {graph.bandwidth_intra, nic ? Limit::inter : Limit::intra};
  }
  return {graph.bandwidth_inter, Limit::inter};
}

/// Of NVLS: intra * efficiency * (c-1)/c, twice for all-reduce (its two halves overlap), and not
/// more than the NIC of a head; NVLSTree on two nodes sends each byte once.
Bus nvls_bandwidth(const TuningCase& entry) {
  const Graph& graph = entry.graph;
  const int nodes = entry.communicator.nodes;
  const std::size_t row = generation(entry.communicator.min_compute_capability);
  const float channels = static_cast<float>(graph.channels);
  float intra =
      graph.bandwidth_intra * entry.constants.nvls_efficiency[row] * (channels - 1) / channels;
  const float ppn = ranks_per_node(entry.communicator);
  intra *= entry.kind == Kind::all_reduce ? 2.0f : (ppn - 1) / ppn;
  const float inter = graph.bandwidth_inter * (nodes <= 2 && entry.is(nvls_tree) ? 2.0f : 1.0f);
  Bus bus{std::min(intra, inter), nodes == 1 || intra <= inter ? Limit::intra : Limit::inter};
  if (!entry.is(nvls_tree)) return bus;
  const auto most = static_cast<float>(column(entry.constants.nvls_tree_per_channel, row, nodes));
  if (most < bus.bandwidth) bus = {most, Limit::protocol};
  return bus;
}

/// On several nodes LL is bound by the CPUs that poll for it, so the row is theirs.
double ll_bandwidth(const TuningCase& entry) {
  const Communicator& communicator = entry.communicator;
  const bool amd =
      communicator.cpu_vendor == CpuVendor::amd || communicator.cpu_vendor == CpuVendor::mixed;
  const std::size_t row = communicator.nodes == 1 ? generation(communicator.min_compute_capability)
                                                  : (amd ? std::size_t{1} : std::size_t{0});
  return column(entry.constants.ll_bandwidth, row, communicator.nodes);
}

void refine_ring(const TuningCase& entry, Bus& bus) {
  const std::size_t row = generation(entry.communicator.min_compute_capability);
  if (entry.protocol == Protocol::ll) bus.cap(bus.bandwidth * .5, ll_bandwidth(entry));
  if (entry.protocol == Protocol::ll128) {
    bus.cap(bus.bandwidth * 0.92,
            entry.graph.channels *
                column(entry.constants.ring_ll128_per_channel, row, entry.communicator.nodes));
  }
}

void refine_tree(const TuningCase& entry, Bus& bus) {
  const int nodes = entry.communicator.nodes;
  const std::size_t row = generation(entry.communicator.min_compute_capability);
  const int channels = entry.graph.channels;
  if (entry.kind == Kind::all_reduce) {
    bus.cap(bus.bandwidth * .92, channels * column(entry.constants.tree_per_channel, row, nodes));
  }
  if (entry.protocol == Protocol::ll) {
    bus.cap(static_cast<double>(bus.bandwidth) * 1.0 / 3.8, ll_bandwidth(entry));
  }
  if (entry.protocol == Protocol::ll128) {
    bus.cap(bus.bandwidth * (nodes == 1 ? 7.0 / 9.0 : 120.0 / 128.0),
            channels * column(entry.constants.tree_ll128_per_channel, row, nodes));
  }
  // Parent and children on one GPU and NIC: its sends and receives get in each other's way.
  if (entry.graph.pattern == GraphPattern::tree)
    bus.bandwidth = static_cast<float>(bus.bandwidth * .85);
}

void refine_collnet_direct(const TuningCase& entry, Bus& bus) {
  const float ppn = ranks_per_node(entry.communicator);
  if (entry.gathers()) {
    const float nic = entry.graph.bandwidth_inter * 0.9f;
    bus = {ppn * std::min(entry.graph.bandwidth_intra, nic),
           nic < entry.graph.bandwidth_intra ? Limit::inter : Limit::intra};
    return;
  }
  // Full speed takes a NIC per GPU; half of what is missing is lost.
  auto factor = static_cast<float>(ppn / (1.0 * entry.graph.channels));
  factor -= (factor - 1) / 2;
  bus.bandwidth /= factor;
  if (entry.communicator.min_compute_capability >= 90)
    bus.bandwidth = static_cast<float>(bus.bandwidth * .85);
}

/// From what passes a link to bytes of the message.
float message_bandwidth(const TuningCase& entry, float bus) {
  if (!entry.is(ring) && entry.gathers()) return bus;
  float ratio = 1;
  if (entry.is(ring) || entry.is(nvls) || entry.is(nvls_tree)) {
    ratio = static_cast<float>(ratio * (1.0 * entry.communicator.ranks) / entry.steps());
  } else {
    ratio = .5f;
  }
  return bus * ratio;
}

}  // namespace

TunedBandwidth tuned_bandwidth(const TuningCase& entry) {
  const bool multicast = entry.is(nvls) || entry.is(nvls_tree);
  Bus bus = multicast ? nvls_bandwidth(entry) : channel_bandwidth(entry);
  bus.bandwidth = static_cast<float>(entry.graph.channels) * bus.bandwidth;
  if (entry.is(ring)) refine_ring(entry, bus);
  if (entry.is(tree)) refine_tree(entry, bus);
  if (entry.is(pat)) bus.bandwidth = static_cast<float>(bus.bandwidth * .75);
  if (entry.is(collnet_direct)) refine_collnet_direct(entry, bus);
  return {message_bandwidth(entry, bus.bandwidth), bus.limit};
}

}  // namespace railyard::collectives::nccl
