#include <memory>

#include "apps/cli/commands.hpp"
#include "apps/replay/replay_flags.hpp"
#include "apps/replay/replay_run.hpp"
#include "collectives/formats/traces/trace_import.hpp"

namespace railyard::apps {
namespace {

constexpr const char* kExamples = R"(
Runs a workload on a cluster: what each rank computes and communicates, with its dependencies.
Reads PyTorch profiles (.json, .json.gz), Chakra execution traces (NAME.RANK.et), GOAL text and
Railyard's own JSON. Prints the time of each kind of operation, the part without concurrent
computation, waits by cause, and the critical path.

Examples:
  railyard replay step.json --cluster dgx_h100_ndr400 --nodes 2
  railyard replay rank*.json.gz --cluster dgx_a100_hdr200 --compare-cluster dgx_h100_ndr400
  railyard replay traces/ --world 128 --cluster clos_rail_h100 --fidelity analytic
  railyard replay a.goal --job other=b.goal@2ms --cluster hgx_h200_roce400 --nodes 4 --trace out.json
  railyard replay rank0.json.gz --cluster dgx_a100_hdr200 --nodes 1 --recorded)";

void add_input_flags(FlagSet app, ReplayFlags& flags) {
  app.add_option("files", flags.files,
                 "Files of one job, or a folder of them: railyard JSON, PyTorch profiles, Chakra, "
                 "GOAL")
      .type_name("FILE");
  app = app.under("Workload");
  app.add_option("--job", flags.jobs,
                 "Run another job beside the first, on the next free GPUs, starting at TIME [0] "
                 "(repeatable)")
      .type_name("NAME=FILE,...[@TIME]")
      .take_all();
  app.add_option(
         "--world", flags.world,
         "Number of ranks of the traced job [from the trace]. Ranks without a trace run the "
         "program of a traced rank")
      .type_name("N")
      .check(in_range(1, collectives::kMostTracedRanks));
  app.add_option("--comm-groups", flags.comm_groups,
                 "Ranks of each process group, for traces that contain only the names of groups: "
                 "JSON {\"NAME\": [RANK, ...]}")
      .type_name("FILE");
  app.add_flag("--recorded", flags.recorded,
               "Use the recorded times of collectives instead of simulating them");
}

void add_comparison_flags(FlagSet app, ReplayFlags& flags) {
  app = app.under("Comparison");
  app.add_option("--compare-cluster", flags.compare_clusters,
                 "Also run on these clusters, with the same number of nodes (repeatable)")
      .delimiter(',')
      .type_name("NAME,..")
      .take_all();
  app.add_option("--against", flags.against, "Compare with this workload on the same cluster")
      .type_name("FILE")
      .take_all();
}

void add_simulation_flags(FlagSet app, ReplayFlags& flags) {
  app = app.under("Simulation");
  app.add_option("--fidelity", flags.fidelity,
                 "Model: analytic (each collective takes as long as without other traffic), flow "
                 "(concurrent collectives share links) or packet (queues, ECN, pauses and losses; "
                 "simulates every rank with --timing nominal, so only for small workloads) [flow]")
      .type_name("NAME")
      .check(one_of({"analytic", "flow", "packet"}));
  app.add_flag(
      "--expand", flags.expand,
      "Simulate every rank separately, instead of one rank for each class of identical ranks");
  app.add_option(
         "--rank-order", flags.rank_order,
         "Order of the nodes in which ranks are numbered: contiguous, random (by --seed), or a "
         "file that lists the nodes in the order of a scheduler (node7, node[0-3]) [contiguous]")
      .type_name("ORDER")
      .excludes(app.option("--ranks"));
  app.add_option("--seed", flags.seed,
                 "Random seed for ECMP hashing and port choice, below 2^63 [the cluster file's, or "
                 "1]")
      .type_name("N");
  app.add_option("--timing", flags.timing.timing,
                 "Time model of NCCL algorithms: fitted (to measurements) or nominal (link rates "
                 "and overheads only) [fitted for traces; nominal for railyard JSON, as in place, "
                 "and for --fidelity packet]")
      .type_name("NAME")
      .check(one_of({"fitted", "nominal"}));
}

}  // namespace

RunCommand add_replay(FlagSet app) {
  const auto flags = std::make_shared<ReplayFlags>();
  add_input_flags(app, *flags);
  add_cluster_flags(app, flags->cluster, true);
  add_comparison_flags(app, *flags);
  add_simulation_flags(app, *flags);
  add_fabric_flags(app, flags->fabric);
  add_packet_flags(app, flags->packet);
  add_nccl_flags(app, flags->nccl);
  add_output_flags(app, flags->output);
  add_trace_flag(app, flags->output);
  app.add_flag("--links", flags->links,
               "Also print the load of the links of each tier, the tiers that the critical path "
               "waits for, and the time that links twice as fast would save")
      .group("Output");
  app.add_option("--write-workload", flags->workload, "Write the workload as railyard JSON")
      .type_name("FILE")
      .group("Output");
  app.add_option("--write-chakra", flags->chakra,
                 "Write the workload as Chakra traces: PREFIX.RANK.et")
      .type_name("PREFIX")
      .group("Output");
  app.add_option("--write-goal", flags->goal,
                 "Write the workload as GOAL text. Collectives become the messages of the "
                 "algorithm that NCCL would choose on the cluster")
      .type_name("FILE")
      .group("Output");
  app.footer(kExamples);
  return [flags](Context& context) { return run_replay(*flags, context); };
}

}  // namespace railyard::apps
