#include <fmt/format.h>

#include <array>
#include <memory>
#include <ostream>

#include "apps/cli/setting.hpp"
#include "apps/output/result_output.hpp"
#include "apps/topo/topo_commands.hpp"
#include "core/config/enum_names.hpp"
#include "topology/cluster/bisection.hpp"
#include "topology/cluster/summary.hpp"
#include "topology/cluster/topology_names.hpp"

namespace railyard::apps {
namespace {

using topology::DeviceKind;
using topology::NodeSummary;
using topology::SwitchHops;
using topology::TierSummary;

struct ShowFlags {
  ClusterFlags cluster;
  OutputFlags output;
};

/// A cluster in one row.
struct ClusterRow {
  topology::Summary summary;
  Bandwidth bisection;
};

std::int64_t whole(std::size_t number) { return static_cast<std::int64_t>(number); }

RowValue farthest(const std::optional<SwitchHops>& hops) {
  return hops ? RowValue(std::int64_t{hops->farthest}) : RowValue();
}

constexpr std::array<Column<ClusterRow>, 10> kClusterColumns{{
    {"cluster", [](const ClusterRow& r) -> RowValue { return r.summary.name; }},
    {"fabric",
     [](const ClusterRow& r) -> RowValue {
       return std::string(core::enum_name(r.summary.fabric));
     }},
    {"nodes", [](const ClusterRow& r) -> RowValue { return whole(r.summary.nodes); }},
    {"hosts", [](const ClusterRow& r) -> RowValue { return whole(r.summary.hosts); }},
    {"gpus", [](const ClusterRow& r) -> RowValue { return whole(r.summary.gpus); }},
    {"nics", [](const ClusterRow& r) -> RowValue { return whole(r.summary.nics); }},
    {"cables", [](const ClusterRow& r) -> RowValue { return whole(r.summary.cables); }},
    {"bisection_GBps",
     [](const ClusterRow& r) -> RowValue { return r.bisection.gigabytes_per_second(); }},
    {"same_rail_switches", [](const ClusterRow& r) { return farthest(r.summary.same_rail); }},
    {"cross_rail_switches", [](const ClusterRow& r) { return farthest(r.summary.cross_rail); }},
}};

constexpr std::array<Column<TierSummary>, 6> kTierColumns{{
    {"tier", [](const TierSummary& t) -> RowValue { return std::string(to_text(t.kind)); }},
    {"switches", [](const TierSummary& t) -> RowValue { return whole(t.switches); }},
    {"most_ports", [](const TierSummary& t) -> RowValue { return std::int64_t{t.most_ports}; }},
    {"down_GBps", [](const TierSummary& t) -> RowValue { return t.down.gigabytes_per_second(); }},
    {"up_GBps", [](const TierSummary& t) -> RowValue { return t.up.gigabytes_per_second(); }},
    {"oversubscription",
     [](const TierSummary& t) {
       const auto ratio = t.oversubscription();
       return ratio ? RowValue(*ratio) : RowValue();
     }},
}};

constexpr std::array<Column<NodeSummary>, 9> kNodeColumns{{
    {"node", [](const NodeSummary& n) -> RowValue { return n.name; }},
    {"gpu", [](const NodeSummary& n) -> RowValue { return n.gpu; }},
    {"count", [](const NodeSummary& n) -> RowValue { return whole(n.count); }},
    {"gpus", [](const NodeSummary& n) -> RowValue { return std::int64_t{n.gpus}; }},
    {"nics", [](const NodeSummary& n) -> RowValue { return std::int64_t{n.nics}; }},
    {"nic_GBps",
     [](const NodeSummary& n) -> RowValue { return n.nic_bandwidth.gigabytes_per_second(); }},
    {"gpu_to_gpu",
     [](const NodeSummary& n) -> RowValue { return std::string(to_text(n.gpu_to_gpu)); }},
    {"gpu_GBps",
     [](const NodeSummary& n) -> RowValue { return n.gpu_bandwidth.gigabytes_per_second(); }},
    {"gpu_to_nic",
     [](const NodeSummary& n) -> RowValue { return std::string(to_text(n.gpu_to_nic)); }},
}};

int run_show(const ShowFlags& flags, Context& context) {
  check_output(flags.output);
  Provenance provenance{.command = context.command};
  const topology::Cluster cluster = load_cluster(flags.cluster, provenance);
  add_facts(flags.cluster, cluster, provenance);
  const ClusterRow row{topology::summarise(cluster), topology::bisection(cluster).bandwidth};
  const bool is_data = !flags.output.json.empty() || !flags.output.csv.empty();
  if (is_data) {
    write_result({.kind = "topology",
                  .provenance = provenance,
                  .rows = tabulate(kClusterColumns, std::vector<ClusterRow>{row}),
                  .sections = {{"tiers", tabulate(kTierColumns, row.summary.tiers)},
                               {"node_kinds", tabulate(kNodeColumns, row.summary.kinds)}}},
                 flags.output, context);
    return ExitCode::done;
  }
  context.out << to_text(row.summary);
  if (cluster.node_count() > 1) {
    context.out << fmt::format(
        "bisection bandwidth: {:.1f} GB/s per direction between the two halves of the nodes\n",
        row.bisection.gigabytes_per_second());
  }
  return ExitCode::done;
}

}  // namespace

RunCommand add_topo_show(FlagSet app) {
  const auto flags = std::make_shared<ShowFlags>();
  add_whole_cluster_flags(app, flags->cluster);
  add_output_flags(app, flags->output);
  app.footer(
      "Examples:\n"
      "  railyard topo show dgx_h100_ndr400\n"
      "  railyard topo show clos_rail_h100 --nodes 16384 --json -");
  return [flags](Context& context) { return run_show(*flags, context); };
}

}  // namespace railyard::apps
