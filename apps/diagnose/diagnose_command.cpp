#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/cli/commands.hpp"
#include "apps/cli/setting.hpp"
#include "apps/diagnose/diagnosis_rows.hpp"
#include "apps/output/add_config.hpp"
#include "apps/output/result_output.hpp"
#include "core/diagnostic.hpp"
#include "hw/diagnose/answers.hpp"
#include "hw/diagnose/cluster_view.hpp"
#include "hw/diagnose/diagnose.hpp"
#include "hw/diagnose/expected_times.hpp"
#include "hw/diagnose/read_pair_runs.hpp"

namespace railyard::apps {
namespace {

struct DiagnoseFlags {
  std::vector<std::string> files;
  std::string collective;
  ClusterFlags cluster;
  double min_slowdown_pct = 5;
  OutputFlags output;
};

std::vector<hw::PairRun> read_runs(const DiagnoseFlags& flags, Provenance& provenance) {
  const auto kind = named_collective(flags.collective);
  std::vector<hw::PairRun> runs;
  for (const std::string& file : flags.files) {
    for (hw::PairRun& run : hw::read_pair_runs(file, kind)) runs.push_back(std::move(run));
    add_config(provenance, file, file);
  }
  return runs;
}

int run_diagnose(const DiagnoseFlags& flags, Context& context) {
  check_output(flags.output);
  if (flags.cluster.nodes && flags.cluster.cluster.empty())
    throw InputError("", "--nodes", "requires --cluster", "--cluster FILE");
  Provenance provenance{.command = context.command};
  const std::vector<hw::PairRun> runs = read_runs(flags, provenance);
  hw::DiagnoseOptions options{.least_slowdown = flags.min_slowdown_pct / 100};
  std::optional<topology::Cluster> cluster;
  if (!flags.cluster.cluster.empty()) {
    cluster = load_cluster(flags.cluster, provenance);
    add_facts(flags.cluster, *cluster, provenance);
    options.view = [&cluster](const auto& nodes, const auto& places) {
      return hw::cluster_view(*cluster, nodes, places);
    };
    options.expected = [&flags](const auto& tests) {
      return hw::expected_times(flags.cluster.cluster, tests);
    };
  }
  const hw::Diagnosis diagnosis = hw::diagnose(runs, options);
  if (cluster && !diagnosis.findings.empty())
    print_note(context,
               "--cluster: nodes in the order of their names are nodes 0, 1, ... of the "
               "cluster, and GPUs in the order of their PCI buses are GPUs 0, 1, ...");
  write_result({.kind = "diagnosis",
                .provenance = std::move(provenance),
                .answers = hw::diagnosis_answers(diagnosis),
                .rows = tabulate_findings(diagnosis),
                .sections = {{.name = "sizes",
                              .table = tabulate_size_effects(diagnosis),
                              .is_printed = false},
                             {.name = "healthy", .table = tabulate_baselines(diagnosis)}},
                .summary = summarise_findings(diagnosis)},
               flags.output, context);
  return hw::has_sick(diagnosis) ? ExitCode::finding : ExitCode::done;
}

constexpr const char* kHelp = R"(
Finds the node, GPU, NIC, leaf switch, rail or path that is slow or makes tests fail, from collectives
that were run between two nodes at a time (docs/models/diagnose.md). A component is reported if the
tests are at least 20 times more likely with it broken than with a healthy cluster, after weighing how
rarely such components break. Each finding has a probability, its evidence and the test to run next.
Single slow runs are listed without a component, because other jobs may have run at the same time.

FILE is a CSV table with a line per run and size:
  node_a, node_b          names of the nodes
  gpus_per_node           GPUs used in each of them; test with 1, with half and with all
  bytes, time_us          as nccl-tests prints them, out of place
  gpus_a, gpus_b          optional: PCI bus numbers of these GPUs, joined by '+'
  collective, busbw_GBps, busbw_inplace_GBps
                          optional: as nccl-tests prints them
  status                  optional: ok, failed or missing
or the text output of nccl-tests between two nodes, a file per run.

Exit codes: 1 a component is sick, or runs failed; 0 neither. The first line reports the smallest
slowdown of a node that these tests can find.

Examples:
  railyard diagnose configs/examples/pairs_sick.csv
  railyard diagnose pairs/*.log --collective all_reduce
  railyard diagnose pairs.csv --cluster dgx_h100_ndr400 --nodes 17 --json diagnosis.json)";

}  // namespace

RunCommand add_diagnose(FlagSet app) {
  const auto flags = std::make_shared<DiagnoseFlags>();
  app.add_option("files", flags->files, "Tables of pairwise tests, or outputs of nccl-tests")
      .required()
      .type_name("FILE");
  app.add_option(
         "--cluster", flags->cluster.cluster,
         "Cluster that the tests ran on, a file or a name in configs/clusters. Its NICs and "
         "leaf switches can then be found, and healthy times are predicted [none]")
      .type_name("FILE");
  app.add_option("--nodes", flags->cluster.nodes, "Number of nodes [the cluster file's]")
      .check(at_least(1));
  app.add_option("--collective", flags->collective,
                 "Collective of nccl-tests outputs that do not state it")
      .type_name("NAME");
  app.add_option("--min-slowdown", flags->min_slowdown_pct,
                 "Smallest slowdown of a component to report, in per cent of the healthy time [5]")
      .check(in_range(0.1, 1000.0))
      .type_name("PERCENT");
  add_output_flags(app, flags->output, "the findings");
  app.footer(kHelp);
  return [flags](Context& context) { return run_diagnose(*flags, context); };
}

}  // namespace railyard::apps
