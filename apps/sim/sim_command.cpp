#include <fmt/format.h>

#include <memory>

#include "apps/cli/commands.hpp"
#include "apps/cli/thread_flag.hpp"
#include "apps/sim/sim_run.hpp"

namespace railyard::apps {
namespace {

constexpr const char* kExamples = R"(
Simulates a collective on a cluster. Prints for each size the time, the bandwidths as in nccl-tests, and
the link or resource that limits the time (bound_by). Sizes are those of nccl-tests: the buffer of one
rank; for all_gather, reduce_scatter and all_to_all the total of its blocks.
--nodes, --gpus, --collective, --algorithm, --channels, --fidelity, --routing and --qps accept lists of
values (--nodes 1,2,4 --routing ecmp,spray): every combination is simulated and gets a row.
Ctrl-C ends the run: finished sizes are printed, and the exit code is 130.

Examples:
  railyard sim --cluster dgx_h100_ndr400 --nodes 4 -b 1M -e 8G -f 8
  railyard sim --cluster clos_rail_h100 --collective all_to_all --algorithm direct --bytes 1G --links
  railyard sim --cluster clos_baidu_roce --routing ecmp --qps 4 --bytes 256M --seed 7 --csv -
  railyard sim --cluster clos_baidu_roce --nodes 8,16,32 --routing ecmp,spray --bytes 1G
  railyard sim --cluster clos_roce_24k --nodes 64 --rank-order random --seeds 9 --bytes 1G
  railyard sim --cluster clos_rail_h100 --nodes 16 --fail 'pod0/leaf1 -- pod0/spine2@1ms' --bytes 1G
  railyard sim --cluster hgx_h200_roce400 --nodes 4 --fidelity packet --algorithm ring --bytes 16M
  railyard sim --cluster hgx_h200_roce400 --nodes 8 --fidelity packet --routing ecmp --congestion hpcc \
      --traffic incast,bytes=1M,senders=8,to=0 --flows flows.csv
  railyard sim --cluster dgx_h100_ndr400 --nodes 8 --bytes 1G \
      --job name=dp,ranks=0-63:8 --job name=ep,ranks=0-31,collective=all_to_all,start=2ms)";

}  // namespace

RunCommand add_sim(FlagSet app) {
  const auto flags = std::make_shared<SimFlags>();
  add_cluster_flags(app, flags->cluster, true);
  add_collective_flags(app, flags->collective);
  app = app.under("Simulation");
  app.add_option("--fidelity", flags->fidelity,
                 "Model: analytic (no contention), flow (contention) or packet (queues, ECN, "
                 "pauses and losses; link rates and overheads as with --timing nominal) [flow]")
      .type_name("NAME");
  add_fabric_flags(app, flags->fabric);
  add_nccl_flags(app, flags->nccl);
  add_registered_flag(app, flags->nccl,
                      "NCCL runs its symmetric kernels, timed by NCCL's own estimate");
  flags->timing.timing.clear();
  add_timing_flags(app, flags->timing);
  add_packet_flags(app, flags->packet);
  add_fast_forward_flag(app, flags->packet);
  app.add_flag(
      "--expand", flags->expand,
      "flow: simulate each transfer of each step instead of streams; requires --timing nominal");
  app.add_option("--coalesce", flags->coalesce,
                 "flow: treat transfers that end within this time of each other as simultaneous, "
                 "such as '100ns'; faster, but approximate [off]")
      .type_name("TIME");
  app.add_option("--convergence", flags->convergence,
                 "flow, packet: time from a link's failure during the run (--fail ...@2ms) until "
                 "routing avoids it [50 ms]")
      .type_name("TIME");
  app.add_flag("--certify", flags->certify,
               "flow: prove that the simulated rates are max-min fair");
  app.add_flag(
      "--verify", flags->verify,
      "Check first that the schedule performs the collective correctly (up to 1024 ranks)");
  const Flag jobs = app.add_option("--job", flags->jobs,
                                   "Run several collectives concurrently, one per --job "
                                   "(repeatable). Keys: name, ranks [all], start [0], such as 2ms, "
                                   "and collective, bytes, algorithm, protocol, channels, type, "
                                   "root [the values of these flags]");
  jobs.type_name("KEY=VALUE,...").take_all();
  app.add_option("--groups", flags->groups,
                 "Split the ranks into groups that run concurrently: 'DIV 8' makes groups of 8 "
                 "neighbours, 'MOD 8' 8 groups of every 8th rank")
      .type_name("SPLIT")
      .excludes(jobs);
  const Flag traffic =
      app.add_option("--traffic", flags->traffic,
                     "Simulate messages instead of a collective: a file in htsim's format of "
                     "connection matrices, or a pattern: permutation,bytes=2M; "
                     "incast,bytes=1M,senders=8,to=0; poisson,load=0.5,bytes=64K,until=1ms (or "
                     "sizes=FILE). ',class=N' selects a traffic class of --packet-config [0], "
                     "',verb=read' RDMA reads by the receiver [write]. Repeatable");
  traffic.type_name("FILE|PATTERN").take_all().excludes(jobs).excludes(app.option("--groups"));
  // Flags of collectives do not apply to messages.
  for (const char* const other :
       {"--collective", "--bytes", "--min-bytes", "--max-bytes", "--factor", "--algorithm",
        "--protocol", "--channels", "--type", "--op", "--root", "--verify"})
    traffic.excludes(app.option(other));
  app.add_option("--background", flags->background,
                 "Add messages to the collective; values as for --traffic (repeatable)")
      .type_name("FILE|PATTERN")
      .take_all()
      .excludes(jobs)
      .excludes(app.option("--groups"))
      .excludes(traffic);
  app.add_option(
         "--rank-order", flags->rank_order,
         "Order of the nodes in which ranks are numbered: contiguous, random (by --seed), or a "
         "file that lists the nodes in the order of a scheduler (node7, node[0-3]) [contiguous]")
      .type_name("ORDER")
      .excludes(app.option("--ranks"))
      .excludes(jobs)
      .excludes(traffic);
  app.add_option("--seeds", flags->seeds,
                 "Simulate each size with N seeds, beginning with --seed; print the median run and "
                 "the spread [1]")
      .type_name("N")
      .check(in_range(1, 10'000))
      .excludes(jobs)
      .excludes(app.option("--groups"))
      .excludes(traffic);
  add_threads_flag(app, flags->threads);
  add_output_flags(app, flags->output);
  add_trace_flag(app, flags->output);
  app.add_flag("--range", flags->range,
               "Add range_pct, the 80 % range of each time (docs/models/ranges.md) [without this "
               "flag: only if a part of the machine was not fitted]")
      .group("Output");
  app.add_flag("--links", flags->links, "Also print the load of the links of each tier")
      .group("Output");
  add_packet_record_flags(app, flags->packet);
  app.footer(kExamples);
  return [flags](Context& context) { return run_sim(*flags, context); };
}

}  // namespace railyard::apps
