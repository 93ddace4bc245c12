#include "collectives/nccl/timing/time_model.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "collectives/nccl/timing/chunks.hpp"
#include "collectives/nccl/timing/exchange_time.hpp"
#include "collectives/nccl/timing/slot_waits.hpp"
#include "collectives/schedule/line_format.hpp"

namespace railyard::collectives::nccl {
namespace {

using topology::ProtocolTimes;

double us(const ProtocolTimes& times, Protocol protocol) {
  switch (protocol) {
    case Protocol::ll: return times.ll.microseconds();
    case Protocol::ll128: return times.ll128.microseconds();
    case Protocol::simple: break;
  }
  return times.simple.microseconds();
}

/// The bandwidth of LL and LL128 / the bandwidth of Simple.
double efficiency(const Machine& machine, Protocol protocol) {
  switch (protocol) {
    case Protocol::ll: return machine.gpu.ll_efficiency;
    case Protocol::ll128: return machine.gpu.ll128_efficiency;
    case Protocol::simple: break;
  }
  return 1.0;
}

/// The same ratio for NICs. With Simple the NIC is fully used, so the ratio cannot exceed the
/// fraction of data in a line. (On NVLink Simple does not reach the full rate, so there the ratio
/// can be larger.)
double network_efficiency(const Machine& machine, Protocol protocol) {
  return std::min(efficiency(machine, protocol), 1 / bytes_per_data_byte(protocol));
}

double tree_efficiency(const Machine& machine, Protocol protocol) {
  switch (protocol) {
    case Protocol::ll: return machine.gpu.tree.ll;
    case Protocol::ll128: return machine.gpu.tree.ll128;
    case Protocol::simple: break;
  }
  return machine.gpu.tree.simple;
}

/// Levels of a binary tree over the nodes, as NCCL counts them: floor(log2 N).
int levels(const Machine& machine) {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(machine.nodes))) - 1;
}

/// The smaller of two rates in GB/s, and what limits it. On one node only `inside` counts.
struct Rate {
  double value = 0;
  Bound bound = Bound::gpu_links;
};
Rate slower(const Machine& machine, double inside, double network) {
  if (machine.nodes > 1 && network < inside)
    return {network, machine.has_slow_way_to_nics() ? Bound::node_link : Bound::network};
  return {inside, Bound::gpu_links};
}

/// The rate of the GPU's links that the channels can use.
double inside_rate(const Machine& machine, const TimeQuery& query) {
  return machine.inner_rate() * std::min(1.0, query.channel_share);
}

/// Limits a data rate so that a GPU's links, which carry each byte `times` times and the protocol's
/// flags, do not exceed their line rate.
double within_links(const Machine& machine, Protocol protocol, double rate, double times = 1) {
  return std::min(rate, machine.link_limit / times / bytes_per_data_byte(protocol));
}

/// The rate of a node's NICs that are used by a channel.
double network_rate(const Machine& machine, const TimeQuery& query) {
  const bool all = query.channels == 0 || query.channels >= machine.nic_count;
  return machine.network_rate() *
         (all ? 1.0 : static_cast<double>(query.channels) / machine.nic_count);
}

/// Bytes that the busiest node sends in a double binary tree / message size S. With two nodes each
/// node is the root of one tree and a leaf of the other and sends S/2 in each. With three or more
/// nodes the busiest one is an inner node of one tree (S/2 up, S/2 to each of two children) and a
/// leaf of the other (S/2 up).
double tree_volume(const Machine& machine) { return machine.nodes == 2 ? 1.0 : 2.0; }

/// Number of hops of a block on a ring.
double ring_steps(Kind kind, int ranks) {
  return kind == Kind::all_reduce ? 2.0 * (ranks - 1) : ranks - 1;
}

/// T = launch + hops inside nodes + hops between nodes + (steps + tail) / n * S / bandwidth. In a
/// broadcast or reduce all of S crosses each hop, pipelined: S / bandwidth.
TimeTerms ring(const Machine& machine, const TimeQuery& query) {
  const double n = machine.ranks;
  const double steps = ring_steps(query.kind, machine.ranks);
  const double outer =
      machine.nodes == 1
          ? 0
          : std::min(steps, (query.kind == Kind::all_reduce ? 2.0 : 1.0) * machine.nodes);
  const bool in_blocks = query.kind != Kind::broadcast && query.kind != Kind::reduce;
  const double volume = in_blocks ? (steps + machine.gpu.tail) / n : 1.0;
  const double eff = efficiency(machine, query.protocol);
  const Rate rate =
      slower(machine, within_links(machine, query.protocol, inside_rate(machine, query) * eff),
             network_rate(machine, query) * network_efficiency(machine, query.protocol));
  return {.launch = us(machine.gpu.launch, query.protocol),
          .steps = (steps - outer) * us(machine.gpu.step, query.protocol) +
                   outer * us(machine.fabric.step, query.protocol) +
                   outer / machine.nodes * machine.round_trips.ring_detour,
          .fill = 0,
          .bytes = volume * microseconds(static_cast<double>(query.bytes), rate.value),
          .bound = rate.bound,
          .node_link = machine.nic_limit.link};
}

/// The query on all channels of the machine.
TimeQuery on_all_channels(TimeQuery query) {
  query.channels = 0;
  query.channel_share = 1;
  return query;
}

/// The rate of a tree. In a chain of more than two GPUs an inner GPU uses the same links to the
/// switch for both of its neighbours.
Rate tree_rate(const Machine& machine, const TimeQuery& query) {
  const double times = machine.ranks_per_node() > 2 ? 2 : 1;
  const double inside = inside_rate(machine, query) * tree_efficiency(machine, query.protocol);
  return slower(machine, within_links(machine, query.protocol, inside, times),
                network_rate(machine, query) * network_efficiency(machine, query.protocol) /
                    tree_volume(machine));
}

/// Tree: up and down a chain inside each node and a double binary tree between nodes. The time to
/// fill the pipeline does not grow if fewer channels are used, so it is computed with all channels.
TimeTerms tree(const Machine& machine, const TimeQuery& query) {
  const int inner = machine.ranks_per_node() - 1, depth = levels(machine);
  const Rate rate = tree_rate(machine, query);
  const double filling = tree_rate(machine, on_all_channels(query)).value;
  const double hop = us(machine.fabric.step, query.protocol) * machine.fabric.tree_step;
  const double round = tree_chunk(machine, query) * machine.channels;
  return {.launch = us(machine.gpu.launch, query.protocol),
          .steps = 2 * (inner * us(machine.gpu.step, query.protocol) + depth * hop +
                        machine.round_trips.tree_detour),
          .fill = 2 * (inner + 2 * depth) * machine.gpu.tree_fill * microseconds(round, filling),
          .bytes = microseconds(static_cast<double>(query.bytes), rate.value),
          .bound = rate.bound,
          .node_link = machine.nic_limit.link};
}

/// How many times the busiest GPU's NVLink carries the message in one direction. all_reduce: the
/// switch reads all of it, and a head sends its share to all GPUs. all_gather: all of it arrives.
/// reduce_scatter: all of it is read. Channels are assigned to the heads in turn.
double nvls_volume(const Machine& machine, const TimeQuery& query) {
  if (query.kind != Kind::all_reduce) return 1;
  const int heads = machine.nodes == 1 ? machine.ranks_per_node() : std::max(1, machine.nvls_heads);
  const int channels = query.head_channels > 0 ? query.head_channels : heads;
  return 1 + std::ceil(static_cast<double>(channels) / heads) / channels;
}

/// NVLS: multicast inside the node, where the bus bandwidth does not depend on the number of GPUs
/// as long as NVLink is not the limit. NVLSTree: also a double binary tree of the heads between
/// nodes.
TimeTerms nvls(const Machine& machine, const TimeQuery& query) {
  const topology::GpuTiming& gpu = machine.gpu;
  const double p = machine.ranks_per_node();
  const double factor = query.kind == Kind::all_reduce ? 2 * (p - 1) / p : (p - 1) / p;
  const double chunk = nvls_chunk(machine, query);
  const double pace = static_cast<double>(gpu.nvls_chunk.count()) / chunk;
  const double most = within_links(machine, Protocol::simple,
                                   inside_rate(machine, query) * gpu.nvls_efficiency / factor,
                                   nvls_volume(machine, query));
  const double inside = std::min(
      most, inside_rate(machine, query) * gpu.nvls_efficiency / factor / (1 + pace * pace));
  const auto bytes = static_cast<double>(query.bytes);
  // The pipeline is filled by one round of chunks, or by the whole message if it is smaller.
  const double round = std::min(bytes, machine.nvls_channels * machine.nvls_heads * chunk);
  if (machine.nodes == 1) {
    // The first rounds fill the pipeline at the rate of large chunks, because they do not wait for
    // free slots.
    const double free = most;
    return {.launch = gpu.nvls_launch.microseconds(),
            .steps = 0,
            .fill = gpu.nvls_fill * microseconds(round, free),
            .bytes = microseconds(bytes, inside),
            .bound = Bound::gpu_links};
  }
  const Rate rate = slower(machine, inside * gpu.nvls_tree_efficiency,
                           network_rate(machine, query) / tree_volume(machine));
  return {.launch = gpu.nvls_launch.microseconds(),
          .steps = 2 * (levels(machine) * machine.fabric.nvls_step.microseconds() +
                        machine.round_trips.tree_detour),
          .fill = gpu.nvls_tree_fill * (1 + levels(machine)) * microseconds(round, rate.value),
          .bytes = microseconds(bytes, rate.value),
          .bound = rate.bound,
          .node_link = machine.nic_limit.link};
}

/// CollNet (SHARP): the node's data reaches the NICs over a chain or directly. Each byte leaves the
/// node once and returns once.
TimeTerms collnet(const Machine& machine, const TimeQuery& query) {
  const int inner =
      query.algorithm == TuningAlgorithm::collnet_chain ? machine.ranks_per_node() - 1 : 1;
  const Rate rate =
      slower(machine, inside_rate(machine, query) * tree_efficiency(machine, Protocol::simple),
             network_rate(machine, query));
  return {.launch = us(machine.gpu.launch, Protocol::simple),
          .steps = 2.0 * inner * us(machine.gpu.step, Protocol::simple) +
                   2 * machine.fabric.nvls_step.microseconds() +
                   2 * machine.round_trips.longest_detour,
          .fill = 0,
          .bytes = microseconds(static_cast<double>(query.bytes), rate.value),
          .bound = rate.bound,
          .node_link = machine.nic_limit.link};
}

/// PAT: ceil(log2 n) rounds of aggregated messages.
TimeTerms pat(const Machine& machine, const TimeQuery& query) {
  const double n = machine.ranks;
  const Rate rate = slower(machine, inside_rate(machine, query), network_rate(machine, query));
  return {.launch = us(machine.gpu.launch, Protocol::simple),
          .steps = std::ceil(std::log2(n)) * us(machine.fabric.step, Protocol::simple) +
                   machine.round_trips.tree_detour,
          .fill = 0,
          .bytes = (n - 1) / n * microseconds(static_cast<double>(query.bytes), rate.value),
          .bound = rate.bound,
          .node_link = machine.nic_limit.link};
}

TimeTerms by_algorithm(const Machine& machine, const TimeQuery& query) {
  switch (query.algorithm) {
    case TuningAlgorithm::tree: return tree(machine, query);
    case TuningAlgorithm::ring: break;
    case TuningAlgorithm::collnet_direct:
    case TuningAlgorithm::collnet_chain: return collnet(machine, query);
    case TuningAlgorithm::nvls:
    case TuningAlgorithm::nvls_tree: return nvls(machine, query);
    case TuningAlgorithm::pat: return pat(machine, query);
  }
  return ring(machine, query);
}

}  // namespace

TimeTerms collective_time(const Machine& machine, const TimeQuery& query) {
  if (!is_tuned(query.kind)) return exchange_time(machine, query);
  TimeTerms terms = by_algorithm(machine, query);
  wait_for_slots(machine, query, terms);
  return terms;
}

double call_time(const topology::LaunchCost& launch, const Machine& machine, const TimeQuery& query,
                 double gpu_us) {
  const double sends = query.kind == Kind::all_to_all  ? 2.0 * machine.ranks
                       : query.kind == Kind::send_recv ? 2.0
                                                       : 0.0;
  const double host = machine.ranks_per_node() * (launch.host_per_gpu.microseconds() +
                                                  sends * launch.host_per_send.microseconds());
  return std::max(launch.overhead.microseconds() + gpu_us, host);
}

HopTimes hop_times(const Machine& machine, const TimeQuery& query) {
  const topology::GpuTiming& gpu = machine.gpu;
  const topology::FabricTiming& fabric = machine.fabric;
  const auto of = [](double microseconds) { return Time::from_seconds(microseconds * 1e-6); };
  const RoundTrips& trips = machine.round_trips;
  const double around = trips.ring_detour / machine.nodes;
  const double up = trips.tree_detour / std::max(1, levels(machine));
  const Time inside = of(us(gpu.step, query.protocol)),
             outside = of(us(fabric.step, query.protocol) + around);
  if (!is_tuned(query.kind))
    return {gpu.exchange_peer, fabric.step.simple + of(trips.longest_detour)};
  switch (query.algorithm) {
    case TuningAlgorithm::tree:
      return {inside, of(us(fabric.step, query.protocol) * fabric.tree_step + up)};
    case TuningAlgorithm::nvls:
    case TuningAlgorithm::nvls_tree: return {Time(), fabric.nvls_step + of(up)};
    case TuningAlgorithm::collnet_direct:
    case TuningAlgorithm::collnet_chain:
      return {inside, fabric.nvls_step + of(trips.longest_detour)};
    case TuningAlgorithm::ring:
    case TuningAlgorithm::pat: break;
  }
  return {inside, outside};
}

}  // namespace railyard::collectives::nccl
