#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <array>
#include <memory>

#include "apps/choice.hpp"
#include "apps/commands.hpp"
#include "apps/engine.hpp"
#include "apps/explain_sections.hpp"
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
  bool rings = false;
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
    {"latency_us", [](const ExplainRow& r) { return if_allowed(r, r.way.latency_us); }, kTwo},
    {"bandwidth_GBps", [](const ExplainRow& r) { return if_allowed(r, r.way.bandwidth_GBps); },
     kTwo},
    {"time_us", [](const ExplainRow& r) { return if_allowed(r, r.way.time_us); }, kTwo},
    {"allowed", [](const ExplainRow& r) -> RowValue { return r.way.why_not.empty(); }},
    {"chosen", [](const ExplainRow& r) -> RowValue { return r.way.chosen; }},
    {"bound_by",
     [](const ExplainRow& r) -> RowValue {
       return r.way.why_not.empty() ? r.way.bound_by : r.way.why_not;
     }},
}};

/// What is explained: a cluster, its choices, and what is asked of it.
class Explanation {
 public:
  Explanation(const ExplainFlags& flags, Context& context)
      : flags_(flags),
        context_(context),
        provenance_{
            .command = context.command, .facts = {}, .configs = {}, .seed = flags.collective.seed},
        environment_(read_nccl_environment(flags.nccl)),
        cluster_(load_cluster(flags.cluster, provenance_)),
        analytic_(make_engine(cluster_, engine_options())),
        chooser_(cluster_, *analytic_, environment_),
        asked_{.group = group_of(cluster_, flags.cluster),
               .collective = collective_of(flags.collective),
               .algorithm = flags.collective.algorithm,
               .protocol = protocol_of(flags.collective),
               .channels = flags.collective.channels},
        sizes_(sizes_of(flags.collective)) {
    add_facts(flags.cluster, cluster_, provenance_);
    provenance_.facts.emplace_back("nccl", flags.nccl.version);
  }

  int run() {
    const std::vector<ExplainRow> rows = every_way();
    std::vector<Section> sections;
    if (!collectives::nccl::is_tuned(asked_.collective.kind))
      sections.push_back({"p2p", p2p_rows(chooser_, asked_, sizes_)});
    if (flags_.rings) sections.push_back({"orders", order_rows(chooser_, asked_)});
    write_result({.kind = "explain",
                  .provenance = provenance_,
                  .rows = tabulate(std::span<const Column<ExplainRow>>(kColumns),
                                   std::span<const ExplainRow>(rows)),
                  .sections = std::move(sections)},
                 flags_.output, context_);
    return ExitCode::done;
  }

 private:
  [[nodiscard]] EngineOptions engine_options() const {
    const FabricFlags fabric = with_environment(flags_.fabric, environment_);
    return {.fidelity = "analytic",
            .routing = routing_of(cluster_, fabric, flags_.collective.seed),
            .faults = faults_of(cluster_, fabric)};
  }

  /// Every way to do what the flags ask for at each size, with its cost.
  std::vector<ExplainRow> every_way() {
    std::vector<ExplainRow> rows;
    Progress progress(context_, sizes_.size());
    for (const Bytes size : sizes_) {
      progress.next(size_text(size.count()));
      asked_.collective.bytes = size;
      for (Candidate& way : chooser_.candidates(asked_))
        rows.push_back({std::string(to_text(asked_.collective.kind)), std::move(way)});
    }
    return rows;
  }

  const ExplainFlags& flags_;
  Context& context_;
  Provenance provenance_;
  NcclEnvironment environment_;
  topology::Cluster cluster_;
  std::unique_ptr<collectives::Executor> analytic_;
  Chooser chooser_;
  ChoiceRequest asked_;
  std::vector<Bytes> sizes_;
};

int run_explain(const ExplainFlags& flags, Context& context) {
  check_output(flags.output);
  return Explanation(flags, context).run();
}

constexpr const char* kExamples =
    "Lists, for each size, every algorithm and protocol of NCCL's for the collective as its own\n"
    "tuning model has them on this cluster's node: latency, bandwidth, time and channels, what "
    "bounds\n"
    "it, or why NCCL does not take it. The chosen one is what --algorithm auto takes. Times are "
    "NCCL's\n"
    "estimates, with its corrections for the size; of the fabric it knows the NICs alone, and "
    "railyard\n"
    "sim simulates the rest. Ways that NCCL lacks are costed by the analytic model when asked for "
    "by\n"
    "name. all_to_all and send_recv: the ways that the analytic model knows, NCCL's own chosen, "
    "and how\n"
    "NCCL carries out the sends.\n"
    "\n"
    "Examples:\n"
    "  railyard explain --cluster dgx_h100_ndr400 --nodes 4 --bytes 64M\n"
    "  railyard explain --cluster dgx_h100_ndr400 --nodes 2 --bytes 64M --rings --env "
    "NCCL_ALGO=Ring\n"
    "  railyard explain --cluster clos_rail_h100 --collective all_to_all --bytes 1G --env "
    "NCCL_PXN_DISABLE=1\n"
    "  railyard explain --cluster dgx_b200_ndr400 --nodes 4 -b 8 -e 8G -f 8 --nccl 2.28 --csv -";

}  // namespace

RunCommand add_explain(CLI::App& app) {
  const auto flags = std::make_shared<ExplainFlags>();
  add_cluster_flags(app, flags->cluster, true);
  add_collective_flags(app, flags->collective);
  add_fabric_flags(app, flags->fabric);
  add_nccl_flags(app, flags->nccl);
  app.add_flag(
      "--rings", flags->rings,
      "also show NCCL's rings and trees as lists of ranks (all_to_all: the order of sends)");
  add_output_flags(app, flags->output);
  app.footer(kExamples);
  return [flags](Context& context) { return run_explain(*flags, context); };
}

}  // namespace railyard::apps
