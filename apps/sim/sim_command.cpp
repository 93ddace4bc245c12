#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/format.h>

#include <memory>

#include "apps/cli/commands.hpp"
#include "apps/cli/thread_flag.hpp"
#include "apps/sim/sim_run.hpp"

namespace railyard::apps {
namespace {

constexpr const char* kExamples =
    "Runs a collective on a simulated cluster and prints, for each size, the time, the bandwidths "
    "of\n"
    "nccl-tests and the link that bounds it.\n"
    "\n"
    "Examples:\n"
    "  railyard sim --cluster dgx_h100_ndr400 --nodes 4 -b 1M -e 8G -f 8\n"
    "  railyard sim --cluster clos_rail_h100 --collective all_to_all --algorithm direct --bytes 1G "
    "--links\n"
    "  railyard sim --cluster clos_baidu_roce --routing ecmp --qps 4 --bytes 256M --seed 7 --csv "
    "-\n"
    "  railyard sim --cluster clos_rail_h100 --nodes 16 --fail 'pod0/leaf1 -- pod0/spine2@1ms' "
    "--bytes 1G\n"
    "  railyard sim --cluster dgx_h100_ndr400 --nodes 8 --bytes 1G \\\n"
    "      --job name=dp,ranks=0-63:8 --job name=ep,ranks=0-31,collective=all_to_all,start=2ms\n"
    "\n"
    "bytes: the buffer of a rank; for all_gather, reduce_scatter and all_to_all the total of its "
    "blocks.";

}  // namespace

RunCommand add_sim(CLI::App& app) {
  const auto flags = std::make_shared<SimFlags>();
  add_cluster_flags(app, flags->cluster, true);
  add_collective_flags(app, flags->collective);
  const char* simulation = "Simulation";
  app.add_option("--fidelity", flags->fidelity,
                 "analytic (no contention), flow (contention) or packet (queues)")
      ->type_name("NAME")
      ->capture_default_str()
      ->group(simulation);
  add_fabric_flags(app, flags->fabric);
  add_nccl_flags(app, flags->nccl);
  add_timing_flags(app, flags->timing);
  app.add_flag("--expand", flags->expand, "flow: every transfer of every step, instead of streams")
      ->group(simulation);
  app.add_option("--coalesce", flags->coalesce,
                 "flow: merge completions that are this close, '100ns'; faster, not exact")
      ->type_name("TIME")
      ->group(simulation);
  app.add_flag("--certify", flags->certify, "flow: prove each solution max-min fair")
      ->group(simulation);
  app.add_flag("--verify", flags->verify,
               "first prove that the schedule does the collective (up to a few hundred ranks)")
      ->group(simulation);
  auto* jobs =
      app.add_option("--job", flags->jobs,
                     "a collective that runs beside others (repeatable): name=, ranks=, "
                     "collective=, bytes=, start=, algorithm=, protocol=, channels=, type=, root=");
  jobs->type_name("KEY=VALUE,...")->take_all()->group(simulation);
  app.add_option(
         "--groups", flags->groups,
         "split the ranks; the groups run at the same time: 'DIV 8' neighbours, 'MOD 8' every 8th")
      ->type_name("SPLIT")
      ->excludes(jobs)
      ->group(simulation);
  add_threads_flag(app, flags->threads);
  add_output_flags(app, flags->output);
  add_trace_flag(app, flags->output);
  app.add_flag("--links", flags->links, "also what the links of each tier carried")
      ->group("Output");
  app.footer(kExamples);
  return [flags](Context& context) { return run_sim(*flags, context); };
}

}  // namespace railyard::apps
