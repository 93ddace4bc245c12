
#include <array>
#include <memory>
#include <ostream>

#include "apps/cli/setting.hpp"
#include "apps/output/result_output.hpp"
#include "apps/topo/topo_commands.hpp"
#include "topology/cluster/check.hpp"

namespace railyard::apps {
namespace {

struct CheckFlags {
  ClusterFlags cluster;
  OutputFlags output;
};

/// A finding with the name of its device.
struct FindingRow {
  std::string finding, device, message;
};

constexpr std::array<Column<FindingRow>, 3> kColumns{{
    {"finding", [](const FindingRow& r) -> RowValue { return r.finding; }},
    {"device", [](const FindingRow& r) -> RowValue { return r.device; }},
    {"message", [](const FindingRow& r) -> RowValue { return r.message; }},
}};

int run_check(const CheckFlags& flags, Context& context) {
  check_output(flags.output);
  Provenance provenance{.command = context.command, .facts = {}, .configs = {}, .seed = 0};
  const topology::Cluster cluster = load_cluster(flags.cluster, provenance);
  add_facts(flags.cluster, cluster, provenance);
  std::vector<FindingRow> rows;
  for (const topology::Finding& finding : topology::check(cluster)) {
    rows.push_back({std::string(to_text(finding.kind)),
                    finding.device.is_none() ? "" : cluster.name(finding.device), finding.message});
  }
  write_result({.kind = "check",
                .provenance = provenance,
                .rows = tabulate(std::span<const Column<FindingRow>>(kColumns),
                                 std::span<const FindingRow>(rows))},
               flags.output, context);
  context.err << (rows.empty() ? "nothing found\n" : "");
  return rows.empty() ? ExitCode::done : ExitCode::finding;
}

}  // namespace

RunCommand add_topo_check(FlagSet app) {
  const auto flags = std::make_shared<CheckFlags>();
  add_whole_cluster_flags(app, flags->cluster);
  add_output_flags(app, flags->output);
  app.footer(
      "Reports unreachable GPUs, links whose two directions differ, NICs that are faster than "
      "their PCIe\n"
      "link, NICs of one rail on different leaves, and switches without further links. Exits with "
      "code 1 if\n"
      "it reports anything.\n"
      "\n"
      "Examples:\n"
      "  railyard topo check my_cluster.json\n"
      "  railyard topo check pcie8_gen4 --json findings.json");
  return [flags](Context& context) { return run_check(*flags, context); };
}

}  // namespace railyard::apps
