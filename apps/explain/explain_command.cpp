#include <memory>

#include "apps/cli/commands.hpp"
#include "apps/explain/explain_run.hpp"

namespace railyard::apps {
namespace {

constexpr const char* kExamples = R"(
Lists for each size every algorithm and protocol of NCCL's tuning table on this cluster: latency,
bandwidth, time, channels, and the limit, or the reason why NCCL does not use it. NCCL chooses by
time_us, its own estimate; 'railyard sim --algorithm auto' runs that choice. predicted_us is the time
that a benchmark would measure, by the fitted time model (as in 'railyard sim --fidelity analytic').
--algorithm with the name of an algorithm that NCCL does not have prints its time by the analytic model.
For all_to_all and send_recv the table lists the algorithms of the analytic model and NCCL's choice; a
second table shows how NCCL carries out the sends.

Examples:
  railyard explain --cluster dgx_h100_ndr400 --nodes 4 --bytes 64M
  railyard explain --cluster dgx_h100_ndr400 --nodes 2 --bytes 64M --rings --env NCCL_ALGO=Ring
  railyard explain --cluster clos_rail_h100 --collective all_to_all --bytes 1G --env NCCL_PXN_DISABLE=1
  railyard explain --cluster clos_baidu_roce --nodes 16 --tuner-csv nccl_tuner.conf
  railyard explain --cluster dgx_b200_ndr400 --nodes 4 -b 8 -e 8G -f 8 --nccl 2.28 --csv -)";

}  // namespace

RunCommand add_explain(FlagSet app) {
  const auto flags = std::make_shared<ExplainFlags>();
  add_cluster_flags(app, flags->cluster, true);
  add_collective_flags(app, flags->collective);
  add_fabric_flags(app, flags->fabric);
  add_nccl_flags(app, flags->nccl);
  add_timing_flags(app, flags->timing);
  app.add_flag(
      "--rings", flags->rings,
      "Also print NCCL's rings and trees as lists of ranks; for all_to_all the order of sends");
  add_registered_flag(app, flags->nccl,
                      "also list NCCL's symmetric kernels with NCCL's estimate and choice");
  app.add_flag("--range", flags->range,
               "Add range_pct, the 80 % range of predicted_us (docs/models/ranges.md) [without "
               "this flag: only if a part of the machine was not fitted]");
  app.add_option("--tuner-csv", flags->tuner_csv,
                 "Write a configuration for NCCL's example tuner: for every collective and size "
                 "the algorithm that is fastest in flow simulation of this fabric")
      .type_name("FILE")
      .group("Output");
  app.add_option("--tuner-json", flags->tuner_json,
                 "Write a configuration for libnccl-tuner-railyard.so: only the sizes where "
                 "another algorithm is faster than NCCL's choice")
      .type_name("FILE")
      .group("Output");
  app.add_option("--graph-xml", flags->graph_xml,
                 "Write the graphs that NCCL finds in a node, in the format of "
                 "NCCL_GRAPH_DUMP_FILE; NCCL_GRAPH_FILE reads it")
      .type_name("FILE")
      .group("Output");
  add_output_flags(app, flags->output);
  app.footer(kExamples);
  return [flags](Context& context) { return run_explain(*flags, context); };
}

}  // namespace railyard::apps
