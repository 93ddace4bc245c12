// Rank mapping beside the best axis order and Scotch: one JSON line per case and method.
//   railyard_mapping [CASE...]        cases as listed in kCases; all by default
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "placement/mapping/optimise.hpp"
#include "sim/fluid.hpp"
#include "sim/link_capacity.hpp"
#include "tests/bench/mapping/scotch_peer.hpp"
#include "tests/bench/process_cost.hpp"
#include "topology/router.hpp"

namespace {

using namespace railyard;
using namespace railyard::placement;
using bench::LeafTree;

struct Case {
  const char* name;
  LeafTree tree;
  AxisSizes sizes;
  int nodes;         ///< free nodes
  bool is_shuffled;  ///< free nodes come in random order
};

// The trees, jobs and free nodes of COST_MODEL.md 5.2, where "free" are drawn at random.
constexpr Case kCases[] = {
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

/// A three-tier Clos of 400 Gb/s with 2:1 at leaf and spine, of DGX H100.
topology::Cluster cluster_of(const LeafTree& tree) {
  topology::ClusterSpec spec;
  spec.name = "tree";
  spec.nodes = tree.pods * tree.leaves * tree.nodes;
  spec.fabric.kind = topology::FabricKind::clos3;
  spec.fabric.transport = topology::Transport::roce;
  spec.fabric.nodes_per_unit = tree.nodes;
  spec.fabric.units_per_pod = tree.leaves;
  spec.fabric.leaf_oversubscription = 2;
  spec.fabric.spine_oversubscription = 2;
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
    std::mt19937_64 random(1);
    for (std::size_t i = nodes.size(); i > 1; --i) std::swap(nodes[i - 1], nodes[random() % i]);
  }
  nodes.resize(static_cast<std::size_t>(c.nodes));
  return gpus_of_nodes(cluster, nodes);
}

/// Runs what a phase sends as flows that start together; a sink of TrafficWalk.
class Flows {
 public:
  Flows(const topology::Cluster& cluster, topology::RoutingPolicy policy)
      : cluster_(cluster),
        router_(cluster, {.policy = policy}),
        fluid_(sim::link_capacities(cluster, {})) {}
  void inside(Rank from, Rank to, double bytes) { across(from, to, bytes); }
  void across(Rank from, Rank to, double bytes) {
    hops_.clear();
    router_.route({.source = cluster_.gpu(from), .destination = cluster_.gpu(to)}, hops_);
    fluid_.add({hops_, bytes});
  }
  void exchange(std::span<const Rank> gpus, double each) {
    for (const Rank from : gpus) {
      for (const Rank to : gpus) {
        if (from != to) across(from, to, each);
      }
    }
  }
  double run() {
    while (fluid_.active() > 0) (void)fluid_.advance();
    return fluid_.now();
  }

 private:
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
    Flows flows(tiers.cluster(), policy);
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

void report(const Case& c, const Tiers& tiers, std::span<const TrafficPhase> phases,
            const char* method, const Mapping& mapping, double cpu, const std::string& how) {
  check_mapping(mapping, tiers.cluster());
  const MappingScore score = Evaluator(tiers, phases, {}).score(mapping);
  const MappingScore hashed = Evaluator(tiers, phases, {.hashed = true}).score(mapping);
  fmt::print(
      "{{\"case\": \"{}\", \"ranks\": {}, \"method\": \"{}\", \"busiest_s\": {:.6f}, "
      "\"uplinks_s\": {:.6f}, \"hashed_s\": {:.6f}, "
      "\"hop_GB\": {:.0f}, \"leaf_GB\": {:.1f}, \"pod_GB\": {:.1f}, \"ecmp_s\": {:.4f}, "
      "\"adaptive_s\": {:.4f}, \"cpu_s\": {:.4f}, \"order\": \"{}\"}}\n",
      c.name, mapping.size(), method, score.seconds, score.uplink_seconds, hashed.seconds,
      score.hop_bytes / 1e9, busiest_of_step(tiers, phases, mapping, TrunkTier::leaf),
      busiest_of_step(tiers, phases, mapping, TrunkTier::pod),
      simulate(tiers, phases, mapping, topology::RoutingPolicy::ecmp),
      simulate(tiers, phases, mapping, topology::RoutingPolicy::adaptive), cpu, how);
  std::fflush(stdout);
}

void run(const Case& c) {
  const topology::Cluster cluster = cluster_of(c.tree);
  const Tiers tiers(cluster);
  const RankGrid grid = RankGrid::in_order(c.sizes);
  const std::vector<TrafficPhase> phases = gpt3(grid, c.sizes);
  const std::vector<Rank> free = free_gpus(cluster, c);
  const MappingRequest request{.grid = &grid, .phases = phases, .free = free};
  Mapping naive;
  naive.gpus.assign(free.begin(), free.begin() + static_cast<std::ptrdiff_t>(grid.size()));
  report(c, tiers, phases, "as given", naive, 0, "");
  double start = bench::cpu_seconds();
  const MappingChoice axis = best_axis_order(tiers, request);
  report(c, tiers, phases, "best axis order", axis.mapping, bench::cpu_seconds() - start,
         axis.order);
  std::vector<Rank> sorted = free;
  std::ranges::sort(sorted);
  MappingRequest by_tree = request;
  by_tree.free = sorted;
  start = bench::cpu_seconds();
  const MappingChoice tree = best_axis_order(tiers, by_tree);
  report(c, tiers, phases, "best axis order, sorted", tree.mapping, bench::cpu_seconds() - start,
         tree.order);
  double cpu = 0;
  if (const auto scotch = bench::map_with_scotch(c.tree, tiers, phases, grid.size(), free, cpu))
    report(c, tiers, phases, "scotch", *scotch, cpu, "");
  const auto search = [&](const char* method, bool hashed,
                          std::optional<topology::RoutingPolicy> judge) {
    MappingRequest asked = request;
    asked.evaluate.hashed = hashed;
    if (judge) asked.judged_by = topology::RoutingOptions{.policy = *judge};
    start = bench::cpu_seconds();
    const MappingChoice choice = optimise_mapping(tiers, asked);
    const double spent = bench::cpu_seconds() - start;
    report(c, tiers, phases, method, choice.mapping, spent,
           fmt::format("{}, {} exchanges, {} scored", choice.order, choice.exchanges,
                       choice.evaluated));
  };
  search("railyard", false, {});
  search("railyard, hashed uplinks", true, {});
  search("railyard, judged (adaptive)", false, topology::RoutingPolicy::adaptive);
  search("railyard, judged (ECMP)", true, topology::RoutingPolicy::ecmp);
}

}  // namespace

int main(int argc, char** argv) {
  for (const Case& c : kCases) {
    const bool is_asked =
        argc < 2 || std::find(argv + 1, argv + argc, std::string(c.name)) != argv + argc;
    if (is_asked) run(c);
  }
}
