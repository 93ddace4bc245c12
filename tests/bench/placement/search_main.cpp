// Speed of the search for strategies: one JSON line per case, with and without its bounds.
//   railyard_search [CASE...]        cases as listed in kCases; all by default
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "placement/cost/closed_form.hpp"
#include "placement/search/search.hpp"
#include "tests/bench/process_cost.hpp"
#include "topology/cluster/cluster.hpp"

namespace {

using namespace railyard;
using namespace railyard::placement;

struct Case {
  const char* name;
  const char* cluster;  ///< in configs/clusters
  int nodes;
  const char* job;  ///< in configs/jobs
  int batch;        ///< 0: the job's
  bool overlap, offload;
};

// The first three are the spaces that Calculon was run on (results/placement.md): GPT-3
// 175B on 4,096 A100, 4,096 sequences.
constexpr Case kCases[] = {
    {"gpt3_plain", "dgx_a100_hdr200", 512, "gpt3_175b", 4096, false, false},
    {"gpt3_overlap", "dgx_a100_hdr200", 512, "gpt3_175b", 4096, true, false},
    {"gpt3_offload", "dgx_a100_hdr200", 512, "gpt3_175b", 4096, true, true},
    {"megatron_1t", "clos_rail_h100", 2048, "megatron_1t", 3072, true, false},
    {"megatron_1t_offload", "clos_rail_h100", 2048, "megatron_1t", 3072, true, true},
    {"deepseek_v3", "clos_rail_h100", 512, "deepseek_v3", 0, true, false},
};

void run(const Case& c, bool prune) {
  const topology::Cluster cluster =
      topology::build_cluster(topology::read_cluster(c.cluster, c.nodes));
  Job job = read_job(c.job);
  if (c.batch > 0) job.batch = c.batch;
  const NodeFabric fabric = node_fabric(cluster);
  ClosedForm communication(fabric);
  const Processor gpu = find_processor(cluster.spec().node_specs.front().gpu);
  const int per_node = static_cast<int>(fabric.gpus_per_node);
  const TypeContext context{
      .job = job, .gpu = gpu, .communication = communication, .gpus_per_node = per_node};
  const SearchSpace space{.gpus = c.nodes * per_node,
                          .top = 20,
                          .overlap = c.overlap,
                          .offload = c.offload,
                          .prune = prune};
  const double start = bench::cpu_seconds();
  const SearchResult found = search(context, space);
  const double cpu = bench::cpu_seconds() - start;
  fmt::print(
      "{{\"case\": \"{}\", \"gpus\": {}, \"bounds\": {}, \"strategies\": {}, \"costed\": {}, "
      "\"too_large\": {}, \"below_bound\": {}, \"cpu_s\": {:.3f}, \"strategies_per_cpu_s\": "
      "{:.0f}, "
      "\"costed_per_cpu_s\": {:.0f}, \"best_s\": {:.6f}, \"best\": \"{}\"}}\n",
      c.name, space.gpus, prune, found.strategies, found.evaluated, found.too_large, found.too_slow,
      cpu, static_cast<double>(found.strategies) / cpu, static_cast<double>(found.evaluated) / cpu,
      found.best.empty() ? 0 : found.best.front().step.total.seconds(),
      found.best.empty() ? "nothing fits" : to_text(found.best.front().strategy));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  for (const Case& c : kCases) {
    if (argc > 1 && std::find(argv + 1, argv + argc, std::string(c.name)) == argv + argc) continue;
    run(c, true);
    run(c, false);
  }
}
