// Rank mapping beside the best axis order and Scotch: one JSON line per case and method.
//   railyard_mapping [CASE...]        cases as listed in kCases; all by default
//   railyard_mapping --drawn N [SEED] N cases drawn at random: fabrics, jobs and free nodes
// and for each routing how the judged mapping stands beside the best of the others (at most 1 is
// not worse).
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <initializer_list>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "placement/mapping/optimise.hpp"
#include "sim/link_capacity.hpp"
#include "sim/maxmin/fluid.hpp"
#include "tests/bench/mapping/scotch_peer.hpp"
#include "tests/bench/process_cost.hpp"
#include "topology/routing/router.hpp"

namespace {

using namespace railyard;
using namespace railyard::placement;
using bench::LeafTree;

struct Case {
  std::string name;
  LeafTree tree;
  AxisSizes sizes;
  int nodes;         ///< free nodes
  bool is_shuffled;  ///< free nodes come in random order
  topology::FabricKind fabric = topology::FabricKind::clos3;
  double leaf_oversubscription = 2, spine_oversubscription = 2;
  std::uint64_t seed = 1;  ///< of the order of the nodes
};

// The trees, jobs and free nodes of docs/models/mapping.md, where "free" are drawn at random.
const Case kCases[] = {
    {"dense512", {2, 4, 8, 8}, {.tp = 8, .dp = 8, .pp = 8}, 64, false},
    {"dense512_shuffled", {2, 4, 8, 8}, {.tp = 8, .dp = 8, .pp = 8}, 64, true},
    {"dense512_part", {4, 8, 8, 8}, {.tp = 8, .dp = 8, .pp = 8}, 64, true},
    {"ep512", {2, 4, 8, 8}, {.tp = 8, .ep = 8, .dp = 1, .pp = 8}, 64, false},
    {"ep512_shuffled", {2, 4, 8, 8}, {.tp = 8, .ep = 8, .dp = 1, .pp = 8}, 64, true},
    {"dense4096", {4, 8, 16, 8}, {.tp = 8, .dp = 32, .pp = 16}, 512, false},
    {"dense4096_part", {8, 16, 16, 8}, {.tp = 8, .dp = 32, .pp = 16}, 520, true},
    {"ep4096", {4, 8, 16, 8}, {.tp = 8, .ep = 8, .dp = 4, .pp = 16}, 512, true},
    {"dense16384", {8, 16, 16, 8}, {.tp = 8, .dp = 128, .pp = 16}, 2048, false},
    {"dense16384_shuffled", {8, 16, 16, 8}, {.tp = 8, .dp = 128, .pp = 16}, 2048, true},
    {"ep16384", {8, 16, 16, 8}, {.tp = 8, .ep = 16, .dp = 8, .pp = 16}, 2048, false},
    {"ep16384_shuffled", {8, 16, 16, 8}, {.tp = 8, .ep = 16, .dp = 8, .pp = 16}, 2048, true},
};

/// A fabric of 400 Gb/s, of DGX H100: in a rail_clos "leaf" is a unit of nodes, with a leaf a rail.
topology::Cluster cluster_of(const Case& c) {
  const LeafTree& tree = c.tree;
  topology::ClusterSpec spec;
  spec.name = "tree";
  spec.nodes = tree.pods * tree.leaves * tree.nodes;
  spec.fabric.kind = c.fabric;
  spec.fabric.transport = topology::Transport::roce;
  spec.fabric.nodes_per_unit = tree.nodes;
  const bool has_pods = c.fabric != topology::FabricKind::leaf_spine;
  if (has_pods) spec.fabric.units_per_pod = tree.leaves;
  spec.fabric.leaf_oversubscription = c.leaf_oversubscription;
  if (has_pods) spec.fabric.spine_oversubscription = c.spine_oversubscription;
  spec.node_specs = {topology::read_node(RAILYARD_SOURCE_DIR "/configs/nodes/dgx_h100.json")};
  spec.node_counts = {spec.nodes};
  return topology::build_cluster(std::move(spec));
}

/// A step of GPT-3 175B (96 layers, hidden 12,288, sequence 2,048, batch 1,536, micro-batch 1,
/// 16-bit): 4 AllReduces of b*s*h per layer and micro-batch over tp; b*s*h / tp between stages;
/// gradients once over dp and ep; for experts 4 all-to-alls of b*s*h / tp (top-1) per layer and
/// micro-batch.
std::vector<TrafficPhase> gpt3(const RankGrid& grid, const AxisSizes& sizes) {
  const std::int64_t activations = 2LL * 2048 * 12288;
  const int replicas = sizes.dp * sizes.ep;
  const int micro_batches = 1536 / replicas;
  const int layers = 96 / sizes.pp;
  const std::int64_t gradients = 2 * 175'000'000'000LL / (sizes.tp * sizes.pp);
  std::vector<TrafficPhase> phases;
  const auto add = [&](const char* name, TrafficPattern pattern, RankGroups groups, Bytes bytes,
                       int count) {
    phases.push_back(
        {.name = name, .traffic = {{pattern, std::move(groups), bytes}}, .count = count});
  };
  add("tp", TrafficPattern::ring, grid.groups({GridAxis::tp}),
      all_reduce_ring_bytes(Bytes(activations), static_cast<std::size_t>(sizes.tp)),
      4 * layers * micro_batches);
  add("dp", TrafficPattern::ring, grid.groups({GridAxis::ep, GridAxis::dp}),
      all_reduce_ring_bytes(Bytes(gradients), static_cast<std::size_t>(replicas)), 1);
  add("pp", TrafficPattern::chain, grid.groups({GridAxis::pp}), Bytes(activations / sizes.tp),
      micro_batches);
  if (sizes.ep > 1) {
    add("ep", TrafficPattern::all_to_all, grid.groups({GridAxis::ep}),
        Bytes(activations / sizes.tp), 4 * layers * micro_batches);
  }
  return phases;
}

std::vector<Rank> free_gpus(const topology::Cluster& cluster, const Case& c) {
  std::vector<NodeId> nodes;
  for (std::size_t n = 0; n < cluster.node_count(); ++n) nodes.emplace_back(n);
  if (c.is_shuffled) {
    std::mt19937_64 random(c.seed);
    for (std::size_t i = nodes.size(); i > 1; --i) std::swap(nodes[i - 1], nodes[random() % i]);
  }
  nodes.resize(static_cast<std::size_t>(c.nodes));
  return gpus_of_nodes(cluster, nodes);
}

/// Runs what a phase sends as flows that start together; a sink of TrafficWalk.
class Flows {
 public:
  Flows(const Tiers& tiers, topology::RoutingPolicy policy)
      : tiers_(tiers),
        cluster_(tiers.cluster()),
        router_(cluster_, {.policy = policy}),
        fluid_(sim::link_capacities(cluster_, {})) {}
  void inside(Rank from, Rank to, double bytes) { send(from, from, to, bytes); }
  /// With PXN: by the GPU of the node that is on the rail of the destination.
  void across(Rank from, Rank to, double bytes) {
    const Tiers::GpuPosition &a = tiers_.gpu_position(from), &b = tiers_.gpu_position(to);
    const Rank proxy = a.node == b.node || a.rail == b.rail ? from : tiers_.on_rail(a.node, b.rail);
    send(from, proxy.is_none() ? from : proxy, to, bytes);
  }
  void exchange(std::span<const Rank> gpus, double each) {
    for (const Rank from : gpus) {
      for (const Rank to : gpus) {
        if (from != to) across(from, to, each);
      }
    }
  }
  void send(Rank from, Rank by, Rank to, double bytes) {
    hops_.clear();
    router_.route({.source = cluster_.gpu(from), .destination = cluster_.gpu(by)}, hops_);
    router_.route({.source = cluster_.gpu(by), .destination = cluster_.gpu(to)}, hops_);
    fluid_.add({hops_, bytes});
  }
  double run() {
    while (fluid_.active() > 0) (void)fluid_.advance();
    return fluid_.now();
  }

 private:
  const Tiers& tiers_;
  const topology::Cluster& cluster_;
  topology::Router router_;
  sim::Fluid fluid_;
  std::vector<topology::Hop> hops_;
};

double simulate(const Tiers& tiers, std::span<const TrafficPhase> phases, const Mapping& mapping,
                topology::RoutingPolicy policy) {
  double seconds = 0;
  TrafficWalk walk(tiers);
  for (const TrafficPhase& phase : phases) {
    Flows flows(tiers, policy);
    for (const Traffic& traffic : phase.traffic) walk(traffic, mapping, flows);
    seconds += phase.count * flows.run();
  }
  return seconds;
}

/// Busiest uplink of a tier over a whole step, in GB.
double busiest_of_step(const Tiers& tiers, std::span<const TrafficPhase> phases,
                       const Mapping& mapping, TrunkTier tier) {
  TrafficWalk walk(tiers);
  std::vector<double> sum(tiers.trunk_count(), 0);
  for (const TrafficPhase& phase : phases) {
    TrunkLoads loads(tiers, true);
    for (const Traffic& traffic : phase.traffic) walk(traffic, mapping, loads);
    for (std::size_t t = 0; t < sum.size(); ++t) sum[t] += phase.count * loads.bytes(TrunkId(t));
  }
  const auto [begin, end] = tiers.range(tier);
  return *std::max_element(sum.begin() + static_cast<std::ptrdiff_t>(begin),
                           sum.begin() + static_cast<std::ptrdiff_t>(end)) /
         1e9;
}

/// A mapping as the bench sees it.
struct Outcome {
  double busiest = 0, ecmp = 0, adaptive = 0, cpu = 0;
};

Outcome report(const Case& c, const Tiers& tiers, std::span<const TrafficPhase> phases,
               const char* method, const Mapping& mapping, double cpu, const std::string& how) {
  check_mapping(mapping, tiers.cluster());
  const MappingScore score = Evaluator(tiers, phases, {}).score(mapping);
  const MappingScore hashed = Evaluator(tiers, phases, {.hashed = true}).score(mapping);
  const Outcome out{score.seconds, simulate(tiers, phases, mapping, topology::RoutingPolicy::ecmp),
                    simulate(tiers, phases, mapping, topology::RoutingPolicy::adaptive), cpu};
  fmt::print(
      "{{\"case\": \"{}\", \"ranks\": {}, \"method\": \"{}\", \"busiest_s\": {:.6f}, "
      "\"uplinks_s\": {:.6f}, \"hashed_s\": {:.6f}, "
      "\"hop_GB\": {:.0f}, \"leaf_GB\": {:.1f}, \"pod_GB\": {:.1f}, \"ecmp_s\": {:.4f}, "
      "\"adaptive_s\": {:.4f}, \"cpu_s\": {:.4f}, \"order\": \"{}\"}}\n",
      c.name, mapping.size(), method, score.seconds, score.uplink_seconds, hashed.seconds,
      score.hop_bytes / 1e9, busiest_of_step(tiers, phases, mapping, TrunkTier::leaf),
      busiest_of_step(tiers, phases, mapping, TrunkTier::pod), out.ecmp, out.adaptive, cpu, how);
  std::fflush(stdout);
  return out;
}

/// Judged by a routing beside the best of the others.
void compare(const Case& c, const char* routing, double Outcome::*simulated,
             const std::vector<Outcome>& others, const Outcome& judged, double scotch_cpu) {
  Outcome best = others.front();
  for (const Outcome& other : others) {
    best.busiest = std::min(best.busiest, other.busiest);
    best.*simulated = std::min(best.*simulated, other.*simulated);
  }
  fmt::print(
      "{{\"case\": \"{}\", \"judged\": \"{}\", \"busiest_to_best\": {:.6f}, "
      "\"simulated_to_best\": {:.6f}, \"cpu_to_scotch\": {:.3f}}}\n",
      c.name, routing, judged.busiest / best.busiest, judged.*simulated / best.*simulated,
      scotch_cpu > 0 ? judged.cpu / scotch_cpu : 0.0);
  std::fflush(stdout);
}

/// A user who tries all axis orders over a list of GPUs.
Outcome try_axis_orders(const Case& c, const Tiers& tiers, MappingRequest request,
                        std::span<const Rank> gpus, const char* method) {
  request.free = gpus;
  const double start = bench::cpu_seconds();
  const MappingChoice axis = best_axis_order(tiers, request);
  const double spent = bench::cpu_seconds() - start;
  return report(c, tiers, request.phases, method, axis.mapping, spent, axis.order);
}

/// Railyard's search, judged or not.
Outcome search(const Case& c, const Tiers& tiers, MappingRequest request, const char* method,
               std::optional<topology::RoutingPolicy> judge) {
  if (judge) request.judged_by = topology::RoutingOptions{.policy = *judge};
  const double start = bench::cpu_seconds();
  const MappingChoice choice = optimise_mapping(tiers, request);
  const double spent = bench::cpu_seconds() - start;
  return report(
      c, tiers, request.phases, method, choice.mapping, spent,
      fmt::format("{}, {} exchanges, {} scored", choice.order, choice.exchanges, choice.evaluated));
}

void run(const Case& c) {
  const topology::Cluster cluster = cluster_of(c);
  const Tiers tiers(cluster);
  const RankGrid grid = RankGrid::in_order(c.sizes);
  const std::vector<TrafficPhase> phases = gpt3(grid, c.sizes);
  const std::vector<Rank> free = free_gpus(cluster, c);
  MappingRequest request{.grid = &grid, .phases = phases, .free = free};
  Mapping naive;
  naive.gpus.assign(free.begin(), free.begin() + static_cast<std::ptrdiff_t>(grid.size()));
  report(c, tiers, phases, "as given", naive, 0, "");
  std::vector<Rank> sorted = free;
  std::ranges::sort(sorted);
  std::vector<Outcome> others{
      try_axis_orders(c, tiers, request, free, "best axis order"),
      try_axis_orders(c, tiers, request, sorted, "best axis order, sorted")};
  double scotch_cpu = 0;
  if (const auto scotch =
          bench::map_with_scotch(c.tree, tiers, phases, grid.size(), free, scotch_cpu))
    others.push_back(report(c, tiers, phases, "scotch", *scotch, scotch_cpu, ""));
  search(c, tiers, request, "railyard", {});
  const Outcome adaptive =
      search(c, tiers, request, "railyard, judged (adaptive)", topology::RoutingPolicy::adaptive);
  request.evaluate.hashed = true;
  search(c, tiers, request, "railyard, hashed uplinks", {});
  const Outcome ecmp =
      search(c, tiers, request, "railyard, judged (ECMP)", topology::RoutingPolicy::ecmp);
  compare(c, "adaptive", &Outcome::adaptive, others, adaptive, scotch_cpu);
  compare(c, "ECMP", &Outcome::ecmp, others, ecmp, scotch_cpu);
}

/// A case that nobody chose: 200 to 4,200 ranks on Clos fabrics of up to 8,192 GPUs.
Case draw_case(std::mt19937_64& random, int number) {
  const auto one_of = [&](std::initializer_list<int> list) {
    return list.begin()[random() % list.size()];
  };
  while (true) {
    Case c{.name = fmt::format("drawn{}", number),
           .tree = {one_of({1, 2, 3, 4, 6}), one_of({2, 3, 4, 8}), one_of({4, 8, 16, 32}), 8},
           .sizes = {.tp = one_of({2, 4, 8, 8, 8}),
                     .ep = one_of({1, 1, 2, 4, 8, 16}),
                     .dp = one_of({1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 64}),
                     .pp = one_of({1, 2, 3, 4, 6, 8, 12, 16})},
           .nodes = 0,
           .is_shuffled = random() % 3 != 0,
           .fabric = topology::FabricKind::clos3};
    c.fabric = random() % 3 == 0  ? topology::FabricKind::rail_clos
               : c.tree.pods == 1 ? topology::FabricKind::leaf_spine
                                  : topology::FabricKind::clos3;
    c.leaf_oversubscription = one_of({1, 2, 4});
    c.spine_oversubscription = one_of({1, 2, 4});
    c.seed = random();
    const int ranks = c.sizes.tp * c.sizes.ep * c.sizes.dp * c.sizes.pp;
    const int nodes = c.tree.pods * c.tree.leaves * c.tree.nodes, needed = (ranks + 7) / 8;
    if (ranks < 200 || ranks > 4200 || needed > nodes || nodes > 1024) continue;
    c.nodes =
        random() % 2 == 0
            ? needed
            : needed + static_cast<int>(random() % static_cast<std::uint64_t>(nodes - needed + 1));
    return c;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() >= 2 && words[0] == "--drawn") {
    std::mt19937_64 random(words.size() > 2 ? std::stoull(words[2]) : 1);
    for (int i = 0; i < std::stoi(words[1]); ++i) run(draw_case(random, i));
    return 0;
  }
  for (const Case& c : kCases) {
    if (words.empty() || std::ranges::find(words, c.name) != words.end()) run(c);
  }
}
