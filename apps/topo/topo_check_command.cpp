
#include <array>
#include <memory>
#include <ostream>

#include "apps/cli/setting.hpp"
#include "apps/output/result_output.hpp"
#include "apps/topo/topo_commands.hpp"
#include "topology/cluster/check.hpp"
#include "topology/fabric/port_count.hpp"

namespace railyard::apps {
namespace {

using topology::TierPorts;

struct CheckFlags {
  ClusterFlags cluster;
  OutputFlags output;
  std::string switch_model;
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

RowValue gigabits(Bandwidth rate) {
  if (rate <= Bandwidth()) return {};
  return static_cast<double>(rate.bits_per_second()) / 1e9;
}

RowValue share_of(const TierPorts& ports, int TierPorts::Share::*member) {
  if (!ports.model) return {};
  const auto share = ports.share_of(*ports.model);
  return share ? RowValue(std::int64_t{(*share).*member}) : RowValue();
}

/// The fullest switch of a tier.
constexpr std::array<Column<TierPorts>, 9> kPortColumns{{
    {"tier", [](const TierPorts& p) -> RowValue { return std::string(to_text(p.tier)); }},
    {"switch",
     [](const TierPorts& p) { return p.model ? RowValue(p.model->name) : RowValue("not given"); }},
    {"switches",
     [](const TierPorts& p) -> RowValue { return static_cast<std::int64_t>(p.switches); }},
    {"ports_down", [](const TierPorts& p) -> RowValue { return std::int64_t{p.down}; }},
    {"down_Gbps", [](const TierPorts& p) { return gigabits(p.down_rate); }},
    {"ports_up", [](const TierPorts& p) -> RowValue { return std::int64_t{p.up}; }},
    {"up_Gbps", [](const TierPorts& p) { return gigabits(p.up_rate); }},
    {"ports_used", [](const TierPorts& p) { return share_of(p, &TierPorts::Share::used); }},
    {"ports_free", [](const TierPorts& p) { return share_of(p, &TierPorts::Share::free); }},
}};

int run_check(const CheckFlags& flags, Context& context) {
  check_output(flags.output);
  Provenance provenance{.command = context.command};
  const topology::Cluster cluster = load_cluster(flags.cluster, provenance, flags.switch_model);
  add_facts(flags.cluster, cluster, provenance);
  std::vector<FindingRow> rows;
  for (const topology::Finding& finding : topology::check(cluster)) {
    rows.push_back({std::string(to_text(finding.kind)),
                    finding.device.is_none() ? "" : cluster.name(finding.device), finding.message});
  }
  const std::vector<TierPorts> tiers = topology::count_ports(cluster);
  RowTable ports = tabulate(kPortColumns, tiers);
  write_result({.kind = "check",
                .provenance = provenance,
                .rows = tabulate(kColumns, rows),
                .sections = {{"ports", ports, !rows.empty()}},
                .summary = rows.empty() ? std::optional(ports) : std::nullopt},
               flags.output, context);
  context.err << (rows.empty() ? "no problems found\n" : "");
  return rows.empty() ? ExitCode::done : ExitCode::finding;
}

}  // namespace

RunCommand add_topo_check(FlagSet app) {
  const auto flags = std::make_shared<CheckFlags>();
  add_whole_cluster_flags(app, flags->cluster);
  app.add_option("--switch", flags->switch_model,
                 "Check the fabric against this switch: a name in configs/switches, or a file [the "
                 "cluster file's switch_model]")
      .type_name("NAME");
  add_output_flags(app, flags->output);
  app.footer(
      "Reports unreachable GPUs, links whose two directions differ, NICs that are faster than "
      "their PCIe\n"
      "link, NICs of one rail on different leaves, switches with nothing connected below them, and "
      "tiers that\ncannot be built from their switch model, with the nearest fabric that can. "
      "Prints the ports that the\nfullest switch of each tier uses: ports_used and ports_free "
      "count ports at the rate of the downlinks\n(down_Gbps). The breakout ports of one cage all "
      "run at one rate. The exit code is 1 if a problem is found.\n"
      "\n"
      "Examples:\n"
      "  railyard topo check my_cluster.json\n"
      "  railyard topo check dgx_h100_ndr400 --nodes 256\n"
      "  railyard topo check clos_rail_h100 --switch tomahawk4\n"
      "  railyard topo check pcie8_gen4 --json findings.json");
  return [flags](Context& context) { return run_check(*flags, context); };
}

}  // namespace railyard::apps
