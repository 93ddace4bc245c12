#include "collectives/nccl/timing/exchange_time.hpp"

#include <algorithm>

#include "collectives/nccl/timing/buffer_slots.hpp"

namespace railyard::collectives::nccl {
namespace {

/// The limit of the time for the bytes, in us.
struct Bottleneck {
  double bytes = 0;
  Bound bound = Bound::gpu_links;
  int node_link = -1;
};

Bottleneck slower(Bottleneck a, Bottleneck b) { return b.bytes > a.bytes ? b : a; }

/// The time for the bytes that a GPU sends to other nodes. Its share of the node's NICs limits the
/// rate, and so do its channels.
Bottleneck outside(const Machine& machine, const TimeQuery& query, double bytes) {
  if (machine.nodes == 1) return {};
  const double share =
      machine.exchange_nics * machine.fabric.efficiency / query.wire / machine.ranks_per_node();
  const Bottleneck nics{microseconds(bytes, share), Bound::network};
  if (machine.sends.channels == 0) return nics;
  const double by_channels =
      sending_channels(machine, query) * machine.fabric.exchange_channel.gigabytes_per_second();
  return slower(nics, {microseconds(bytes, by_channels), Bound::channels});
}

/// The slowest link of the node if each GPU sends `inside` bytes to each peer of the node and
/// `outside` bytes to other nodes.
Bottleneck in_node(const Machine& machine, const TimeQuery& query, double inside, double outside) {
  if (!machine.exchange_links) return {};
  const auto& links = (*machine.exchange_links)[static_cast<std::size_t>(query.nics)];
  const SlowestLink slowest = slowest_link(links, inside * query.wire, outside * query.wire);
  return {slowest.microseconds, Bound::node_link, slowest.link};
}

/// Every rank sends `bytes` / n to each rank. Data for ranks of the same node crosses the links
/// between GPUs, all other data the NICs. With PXN the share (p-1)/p of the data that leaves the
/// node also crosses links between GPUs, to reach another rail. Without an NVSwitch the busiest
/// link between GPUs is the limit.
Bottleneck all_to_all(const Machine& machine, const TimeQuery& query, double inside_rate) {
  const double n = machine.ranks, p = machine.ranks_per_node();
  const double block = static_cast<double>(query.bytes) / n;
  const bool ll = exchange_protocol(machine, query) == Protocol::ll;
  const bool relays =
      query.nics == NicRule::relayed && machine.nodes > 1 && machine.meets_over_nvlink;
  const double relayed = relays ? (n - p) * (p - 1) / p : 0;
  const double own = ll ? 0 : machine.gpu.self_copy;
  const double inside = ((p - 1) * machine.mesh_load + own + relayed) * block;
  const double leaving = (n - p) * block;
  return slower(slower({microseconds(inside, inside_rate), Bound::gpu_links},
                       outside(machine, query, leaving)),
                in_node(machine, query, block, machine.nodes > 1 ? leaving : 0));
}

/// Every rank sends to the next one. One rank of each node sends to another node, through one NIC.
Bottleneck send_recv(const Machine& machine, const TimeQuery& query, double inside_rate) {
  const auto bytes = static_cast<double>(query.bytes);
  const double inside =
      machine.ranks_per_node() > 1 ? microseconds(bytes * machine.pair_load, inside_rate) : 0;
  return slower({inside, Bound::gpu_links}, outside(machine, query, bytes));
}

}  // namespace

Protocol exchange_protocol(const Machine& machine, const TimeQuery& query) {
  const std::int64_t to_one =
      query.kind == Kind::all_to_all ? query.bytes / std::max(machine.ranks, 1) : query.bytes;
  const bool ll = machine.nodes == 1 && to_one <= machine.exchange_ll_limit;
  return ll ? Protocol::ll : Protocol::simple;
}

TimeTerms exchange_time(const Machine& machine, const TimeQuery& query) {
  const topology::GpuTiming& gpu = machine.gpu;
  const bool ll = exchange_protocol(machine, query) == Protocol::ll;
  const double rate =
      machine.inner_rate() * gpu.exchange_efficiency * (ll ? gpu.exchange_ll_efficiency : 1.0);
  const bool to_all = query.kind == Kind::all_to_all;
  const Bottleneck bottleneck =
      to_all ? all_to_all(machine, query, rate) : send_recv(machine, query, rate);
  const double inside = to_all ? machine.ranks_per_node() - 1 : 1;
  const double outside = machine.nodes == 1 ? 0
                         : to_all           ? machine.ranks - machine.ranks_per_node()
                                            : 1;
  const double hop = machine.nodes == 1 ? 0
                                        : machine.fabric.step.simple.microseconds() +
                                              machine.round_trips.longest_detour;
  const double messages =
      inside * gpu.exchange_peer.microseconds() + outside * machine.fabric.message.microseconds();
  TimeTerms terms{.launch = (ll ? gpu.exchange_launch_ll : gpu.exchange_launch).microseconds(),
                  .steps = messages + hop,
                  .fill = 0,
                  .bytes = bottleneck.bytes,
                  .bound = bottleneck.bound,
                  .node_link = bottleneck.node_link,
                  .messages = messages};
  wait_for_shared_slots(machine, query, terms);
  return terms;
}

}  // namespace railyard::collectives::nccl
