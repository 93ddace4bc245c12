// One workload of the flow-engine comparison in class Fluid. Prints one JSON line as
// tests/bench/simgrid does; the CPU time covers routing, adding and running the flows.
// "a2a_classes" is a2a with its symmetry told (two tiers): sets of streams instead of streams.
//   railyard_flows WORKLOAD HOSTS TIERS
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "sim/maxmin/fluid.hpp"
#include "tests/bench/maxmin_classes.hpp"
#include "tests/bench/maxmin_workload_names.hpp"
#include "tests/bench/process_cost.hpp"

namespace {

using railyard::bench::FatTree;
using railyard::sim::Fluid;
using railyard::sim::StreamId;

std::size_t run_messages(Fluid& fluid, const FatTree& tree,
                         const std::vector<railyard::bench::Message>& messages) {
  std::vector<railyard::topology::Hop> hops;
  fluid.reserve(messages.size(), messages.size() * tree.longest_route());
  for (const auto& m : messages) {
    hops.clear();
    tree.route(m.source, m.destination, hops);
    fluid.add({hops, m.bytes});
  }
  std::size_t ended = 0;
  while (fluid.active() > 0) ended += fluid.advance().size();
  return ended;
}

std::size_t run_classes(Fluid& fluid, std::uint32_t hosts) {
  const railyard::bench::AllToAllSets all(hosts, railyard::bench::kMessageBytes);
  if (!fluid.add_symmetric(all.sets())) return 0;  // would be seen in the record
  std::size_t ended = 0;
  while (fluid.active() > 0) {
    for (const StreamId set : fluid.advance()) ended += all.sets()[set.index()].streams;
  }
  return ended;
}

/// Ring AllReduce step by step: a rank sends its next piece once it has sent the last and received
/// one, as an MPI ring does.
std::size_t run_ring(Fluid& fluid, const FatTree& tree, std::uint32_t ranks) {
  const std::uint32_t steps = 2 * (ranks - 1);
  const double piece = static_cast<double>(railyard::bench::kRingBytes / ranks);
  std::vector<std::vector<railyard::topology::Hop>> routes(ranks);
  for (std::uint32_t r = 0; r < ranks; ++r) tree.route(r, (r + 1) % ranks, routes[r]);
  std::vector<std::uint32_t> sent(ranks, 0), received(ranks, 0), started(ranks, 0);
  std::vector<std::uint32_t> rank_of;
  const auto start = [&](std::uint32_t rank) {
    if (started[rank] == steps || sent[rank] < started[rank] || received[rank] < started[rank])
      return;
    ++started[rank];
    const StreamId stream = fluid.add({routes[rank], piece});
    if (stream.index() >= rank_of.size()) rank_of.resize(stream.index() + 1);
    rank_of[stream.index()] = rank;
  };
  for (std::uint32_t r = 0; r < ranks; ++r) start(r);
  std::size_t ended = 0;
  std::vector<std::uint32_t> done;
  while (fluid.active() > 0) {
    done.clear();
    for (const StreamId stream : fluid.advance()) done.push_back(rank_of[stream.index()]);
    ended += done.size();
    for (const std::uint32_t rank : done) {
      ++sent[rank];
      ++received[(rank + 1) % ranks];
    }
    for (const std::uint32_t rank : done) {
      start(rank);
      start((rank + 1) % ranks);
    }
  }
  return ended;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: %s WORKLOAD HOSTS TIERS\n", argv[0]);
    return 2;
  }
  const std::string workload = argv[1];
  const auto hosts = static_cast<std::uint32_t>(std::atoi(argv[2]));
  const int tiers = std::atoi(argv[3]);
  const bool is_ring = workload == "ring";
  const bool is_told = workload == "a2a_classes";
  if (is_told && tiers != 2) {
    std::fprintf(stderr, "a2a_classes has two tiers\n");
    return 2;
  }
  const auto messages = is_ring || is_told ? std::vector<railyard::bench::Message>{}
                                           : railyard::bench::workload(workload, hosts);
  const FatTree tree(hosts, tiers);
  const double memory = railyard::bench::peak_megabytes();
  const double before = railyard::bench::cpu_seconds();
  Fluid fluid(tree.capacities());
  const std::size_t flows = is_ring   ? run_ring(fluid, tree, hosts)
                            : is_told ? run_classes(fluid, hosts)
                                      : run_messages(fluid, tree, messages);
  const double cpu = railyard::bench::cpu_seconds() - before;
  std::printf(
      "{\"tool\":\"railyard\",\"workload\":\"%s\",\"hosts\":%u,\"tiers\":%d,\"flows\":%zu,"
      "\"simulated_s\":%.12g,\"cpu_s\":%.6g,\"peak_MB\":%.1f,\"flow_MB\":%.1f,\"solver\":\"%s\"}\n",
      workload.c_str(), hosts, tiers, flows, fluid.now(), cpu, railyard::bench::peak_megabytes(),
      railyard::bench::peak_megabytes() - memory, fluid.describe().c_str());
  return 0;
}
