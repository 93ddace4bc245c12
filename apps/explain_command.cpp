#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <array>
#include <memory>

#include "apps/choice.hpp"
#include "apps/commands.hpp"
#include "apps/engine.hpp"
#include "apps/progress.hpp"
#include "apps/result_output.hpp"
#include "apps/setting.hpp"

namespace railyard::apps {
namespace {

struct ExplainFlags {
  ClusterFlags cluster;
  CollectiveFlags collective;
  NcclFlags nccl;
  FabricFlags fabric;
  OutputFlags output;
};

/// A candidate with what all of them share.
struct ExplainRow {
  std::string collective;
  Candidate way;
};

RowValue if_allowed(const ExplainRow& row, double value) {
  return row.way.why_not.empty() ? RowValue(value) : RowValue();
}

constexpr ColumnStyle kTwo{.decimals = 2};

constexpr std::array<Column<ExplainRow>, 11> kColumns{{
    {"collective",
     [](const ExplainRow& r) -> RowValue { return r.collective; },
     {.joins_heading = true}},
    {"bytes",
     [](const ExplainRow& r) -> RowValue { return r.way.bytes.count(); },
     {.is_size = true}},
    {"algorithm", [](const ExplainRow& r) -> RowValue { return r.way.algorithm; }},
    {"protocol",
     [](const ExplainRow& r) -> RowValue { return std::string(to_text(r.way.protocol)); }},
    {"channels",
     [](const ExplainRow& r) {
       return r.way.why_not.empty() ? RowValue(std::int64_t{r.way.channels}) : RowValue();
     }},
    {"latency_us", [](const ExplainRow& r) { return if_allowed(r, r.way.latency.microseconds()); },
     kTwo},
    {"bandwidth_GBps", [](const ExplainRow& r) { return if_allowed(r, r.way.bandwidth_GBps); },
     kTwo},
    {"time_us", [](const ExplainRow& r) { return if_allowed(r, r.way.time.microseconds()); }, kTwo},
    {"allowed", [](const ExplainRow& r) -> RowValue { return r.way.why_not.empty(); }},
    {"chosen", [](const ExplainRow& r) -> RowValue { return r.way.chosen; }},
    {"bound_by",
     [](const ExplainRow& r) -> RowValue {
       return r.way.why_not.empty() ? r.way.bound_by : r.way.why_not;
     }},
}};

/// Every way to do what the flags ask for at each size, with its cost.
std::vector<ExplainRow> explained(const ExplainFlags& flags, Provenance& provenance,
                                  Context& context) {
  const topology::Cluster cluster = load_cluster(flags.cluster, provenance);
  add_facts(flags.cluster, cluster, provenance);
  const auto group = group_of(cluster, flags.cluster);
  collectives::Collective collective = collective_of(flags.collective);
  const auto analytic =
      make_engine(cluster, {.fidelity = "analytic",
                            .routing = routing_of(cluster, flags.fabric, flags.collective.seed),
                            .faults = faults_of(cluster, flags.fabric)});
  const NcclEnvironment environment =
      read_nccl_environment(flags.nccl.environment, collective.kind);
  const std::vector<Bytes> sizes = sizes_of(flags.collective);
  std::vector<ExplainRow> rows;
  Progress progress(context, sizes.size());
  for (const Bytes size : sizes) {
    progress.next(size_text(size.count()));
    collective.bytes = size;
    const auto ways = candidates({.cluster = cluster,
                                  .group = group,
                                  .collective = collective,
                                  .algorithm = flags.collective.algorithm,
                                  .protocol = protocol_of(flags.collective),
                                  .channels = flags.collective.channels,
                                  .environment = environment},
                                 *analytic);
    for (const Candidate& way : ways) rows.push_back({std::string(to_text(collective.kind)), way});
  }
  return rows;
}

int run_explain(const ExplainFlags& flags, Context& context) {
  check_output(flags.output);
  Provenance provenance{
      .command = context.command, .facts = {}, .configs = {}, .seed = flags.collective.seed};
  const std::vector<ExplainRow> rows = explained(flags, provenance, context);
  write_result({.kind = "explain",
                .provenance = provenance,
                .rows = tabulate(std::span<const Column<ExplainRow>>(kColumns),
                                 std::span<const ExplainRow>(rows))},
               flags.output, context);
  return ExitCode::done;
}

constexpr const char* kExamples =
    "Lists, for each size, every algorithm and protocol that does the collective: its latency, "
    "the\n"
    "bandwidth that comes on top of it, the time, and what bounds it; or why it cannot run. The "
    "chosen one\n"
    "is what --algorithm auto takes. Costs are those of the analytic model on this cluster "
    "(latency of the\n"
    "critical path and the slowest link), not NCCL's own tuning tables.\n"
    "\n"
    "Examples:\n"
    "  railyard explain --cluster dgx_h100_ndr400 --nodes 4 --bytes 64M\n"
    "  railyard explain --cluster clos_rail_h100 --collective all_to_all --bytes 1G --env "
    "NCCL_PXN_DISABLE=1\n"
    "  railyard explain --cluster dgx_a100_hdr200 --nodes 2 -b 8 -e 8G -f 8 --csv -";

}  // namespace

RunCommand add_explain(CLI::App& app) {
  const auto flags = std::make_shared<ExplainFlags>();
  add_cluster_flags(app, flags->cluster, true);
  add_collective_flags(app, flags->collective);
  add_fabric_flags(app, flags->fabric);
  add_nccl_flags(app, flags->nccl);
  add_output_flags(app, flags->output);
  app.footer(kExamples);
  return [flags](Context& context) { return run_explain(*flags, context); };
}

}  // namespace railyard::apps
