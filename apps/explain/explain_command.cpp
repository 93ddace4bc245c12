#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <memory>

#include "apps/cli/commands.hpp"
#include "apps/cli/progress.hpp"
#include "apps/cli/setting.hpp"
#include "apps/explain/explain_sections.hpp"
#include "apps/explain/tuner_plan.hpp"
#include "apps/nccl/choice.hpp"
#include "apps/output/result_output.hpp"
#include "apps/sim/engine.hpp"
#include "apps/sim/timing.hpp"
#include "collectives/nccl/graph/graph_xml.hpp"
#include "collectives/nccl/search/search.hpp"
#include "core/diagnostic.hpp"

namespace railyard::apps {
namespace {

struct ExplainFlags {
  ClusterFlags cluster;
  CollectiveFlags collective;
  NcclFlags nccl;
  FabricFlags fabric;
  TimingFlags timing;
  OutputFlags output;
  bool rings = false;
  std::string tuner_csv, tuner_json, graph_xml;
};

/// A candidate with what all of them share.
struct ExplainRow {
  std::string collective;
  Candidate way;
  std::optional<double> predicted_us;  ///< by the fitted time model
};

RowValue if_allowed(const ExplainRow& row, double value) {
  return row.way.why_not.empty() ? RowValue(value) : RowValue();
}

/// NCCL's table has entries that it does not take.
RowValue if_tabled(const ExplainRow& row, double value) {
  return row.way.bandwidth_GBps > 0 ? RowValue(value) : if_allowed(row, value);
}

constexpr ColumnStyle kTwo{.decimals = 2};

constexpr std::array<Column<ExplainRow>, 12> kColumns{{
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
    {"latency_us", [](const ExplainRow& r) { return if_tabled(r, r.way.latency_us); }, kTwo},
    {"bandwidth_GBps", [](const ExplainRow& r) { return if_tabled(r, r.way.bandwidth_GBps); },
     kTwo},
    {"time_us", [](const ExplainRow& r) { return if_allowed(r, r.way.time_us); }, kTwo},
    {"allowed", [](const ExplainRow& r) -> RowValue { return r.way.why_not.empty(); }},
    {"chosen", [](const ExplainRow& r) -> RowValue { return r.way.chosen; }},
    {"bound_by",
     [](const ExplainRow& r) -> RowValue {
       return r.way.why_not.empty() ? r.way.bound_by : r.way.why_not;
     }},
    {"predicted_us",
     [](const ExplainRow& r) {
       return r.predicted_us ? if_allowed(r, *r.predicted_us) : RowValue();
     },
     {.decimals = 2, .before = "allowed"}},
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
        timing_(make_timing(cluster_, flags.cluster, flags.timing, environment_)),
        asked_{.group = group_of(cluster_, flags.cluster),
               .collective = collective_of(flags.collective),
               .algorithm = flags.collective.algorithm,
               .protocol = protocol_of(flags.collective),
               .channels = flags.collective.channels},
        sizes_(sizes_of(flags.collective)) {
    add_facts(flags.cluster, cluster_, provenance_);
    provenance_.facts.emplace_back("nccl", flags.nccl.version);
    add_timing_facts(timing_.get(), flags.timing, provenance_);
  }

  int run() {
    check_tuner_output();
    std::vector<Section> sections;
    if (wants_tuning()) sections.push_back({"tuner", tuned()});
    if (flags_.tuner_csv == "-" || flags_.tuner_json == "-") return ExitCode::done;
    if (!flags_.graph_xml.empty())
      write_text(collectives::nccl::write_graph_xml(
                     chooser_.model(*asked_.group).communicator.graphs,
                     collectives::nccl::first_node(cluster_, *asked_.group, environment_.search)),
                 flags_.graph_xml, context_);
    if (flags_.graph_xml == "-") return ExitCode::done;
    const std::vector<ExplainRow> rows = every_way();
    note_nccl_view();
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
  [[nodiscard]] bool wants_tuning() const {
    return !flags_.tuner_csv.empty() || !flags_.tuner_json.empty();
  }

  /// What NCCL makes of the machine where that is not what the cluster file says.
  void note_nccl_view() {
    if (asked_.group->size() < 2) return;
    const auto& communicator = chooser_.model(*asked_.group).communicator;
    if (communicator.nodes != std::ssize(asked_.group->nodes()))
      provenance_.facts.emplace_back("nccl_nodes", fmt::format("{}", communicator.nodes));
    std::vector<std::string_view> names;
    for (const auto& fused : communicator.fused_nets) names.push_back(fused.name);
    if (!names.empty())
      provenance_.facts.emplace_back("fused_nics", fmt::format("{}", fmt::join(names, " ")));
  }

  /// A tuning or graph file on standard output is alone there.
  void check_tuner_output() const {
    const OutputFlags& output = flags_.output;
    const int tuner =
        (flags_.tuner_csv == "-") + (flags_.tuner_json == "-") + (flags_.graph_xml == "-");
    if (tuner == 0 || (tuner == 1 && output.json.empty() && output.csv.empty())) return;
    throw InputError("", flags_.graph_xml == "-" ? "--graph-xml" : "--tuner-csv",
                     "a tuning or graph file on standard output is alone there",
                     "name a file for it, or leave out --json and --csv");
  }

  /// Writes the tuning files; what they hold comes back for the result.
  RowTable tuned() {
    const topology::Cluster one_switch = on_one_switch(cluster_);
    const auto ideal = make_engine(one_switch, {.fidelity = "flow"});
    const auto fabrics = fabric_engines();
    const TuningGround ground{.chooser = chooser_,
                              .fabrics = fabrics,
                              .timing = timing_.get(),
                              .ideal = ideal.get(),
                              .group = asked_.group};
    const std::vector<Bytes> sizes = tuning_sizes();
    Progress progress(context_, tuning_steps(sizes));
    const TunerPlan plan =
        plan_tuning(ground, sizes, [&](std::string_view what) { progress.next(what); });
    const std::string about =
        fmt::format("{}: {} ranks on {} nodes, by railyard explain ({} times)",
                    cluster_.spec().name, plan.ranks, plan.nodes, timing_ ? "fitted" : "nominal");
    if (!flags_.tuner_csv.empty()) write_text(tuner_csv(plan, about), flags_.tuner_csv, context_);
    if (!flags_.tuner_json.empty())
      write_text(tuner_json(plan, about), flags_.tuner_json, context_);
    return tuner_rows(plan);
  }

  /// Where hashes decide, one seed says little.
  [[nodiscard]] std::vector<std::unique_ptr<collectives::Executor>> fabric_engines() const {
    constexpr std::uint64_t kSeeds = 3;
    EngineOptions options = engine_options("flow");
    options.timing = timing_;
    const bool hashed = options.routing.policy == topology::RoutingPolicy::ecmp;
    std::vector<std::unique_ptr<collectives::Executor>> engines;
    for (std::uint64_t i = 0; i < (hashed ? kSeeds : 1); ++i, ++options.routing.seed)
      engines.push_back(make_engine(cluster_, options));
    return engines;
  }

  /// 1K to 1G where -b and -e say nothing else.
  [[nodiscard]] std::vector<Bytes> tuning_sizes() const {
    CollectiveFlags flags = flags_.collective;
    flags.bytes.clear();
    if (flags.min_bytes.empty()) flags.min_bytes = "1K";
    if (flags.max_bytes.empty()) flags.max_bytes = "1G";
    return sizes_of(flags);
  }

  [[nodiscard]] EngineOptions engine_options(std::string fidelity = "analytic") const {
    const FabricFlags fabric = with_environment(flags_.fabric, environment_);
    return {.fidelity = std::move(fidelity),
            .routing = routing_of(cluster_, fabric, flags_.collective.seed),
            .faults = faults_of(cluster_, fabric)};
  }

  /// How long a way takes as a benchmark shows it.
  std::optional<collectives::Pace> predicted(const Candidate& way) {
    if (!timing_ || !way.why_not.empty()) return std::nullopt;
    return timing_->pace(*asked_.group, {.collective = asked_.collective,
                                         .algorithm = way.algorithm,
                                         .protocol = way.protocol,
                                         .channels = asked_.channels.value_or(0)});
  }

  ExplainRow row_of(Candidate& way) {
    const auto pace = predicted(way);
    if (pace && pace->waits_for_buffers) way.bound_by = "round trips";
    return {std::string(to_text(asked_.collective.kind)), way,
            pace ? std::optional(pace->total().microseconds()) : std::nullopt};
  }

  /// Every way to do what the flags ask for at each size, with its cost.
  std::vector<ExplainRow> every_way() {
    std::vector<ExplainRow> rows;
    Progress progress(context_, sizes_.size());
    for (const Bytes size : sizes_) {
      progress.next(size_text(size.count()));
      asked_.collective.bytes = size;
      for (Candidate& way : chooser_.candidates(asked_)) rows.push_back(row_of(way));
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
  std::shared_ptr<FittedTiming> timing_;
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
    "it, or why NCCL does not take it. The chosen one is what --algorithm auto takes. time_us is "
    "NCCL's\n"
    "estimate, by which it chooses; predicted_us is how long the way takes in a benchmark, by the "
    "fitted\n"
    "time model, as railyard sim --fidelity analytic has it. Ways that NCCL lacks are costed by "
    "the analytic model when asked for "
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
    "  railyard explain --cluster clos_baidu_roce --nodes 16 --tuner-csv nccl_tuner.conf\n"
    "  railyard explain --cluster dgx_b200_ndr400 --nodes 4 -b 8 -e 8G -f 8 --nccl 2.28 --csv -";

}  // namespace

RunCommand add_explain(CLI::App& app) {
  const auto flags = std::make_shared<ExplainFlags>();
  add_cluster_flags(app, flags->cluster, true);
  add_collective_flags(app, flags->collective);
  add_fabric_flags(app, flags->fabric);
  add_nccl_flags(app, flags->nccl);
  add_timing_flags(app, flags->timing);
  app.add_flag(
      "--rings", flags->rings,
      "also show NCCL's rings and trees as lists of ranks (all_to_all: the order of sends)");
  app.add_option(
         "--tuner-csv", flags->tuner_csv,
         "write a configuration for NCCL's example tuner: what is fastest on this fabric in flow "
         "simulation, for all collectives")
      ->type_name("FILE")
      ->group("Output");
  app.add_option("--tuner-json", flags->tuner_json,
                 "write it for libnccl-tuner-railyard.so: where another way than NCCL's is faster")
      ->type_name("FILE")
      ->group("Output");
  app.add_option(
         "--graph-xml", flags->graph_xml,
         "write the graphs of a node as NCCL_GRAPH_DUMP_FILE does; NCCL_GRAPH_FILE reads it")
      ->type_name("FILE")
      ->group("Output");
  add_output_flags(app, flags->output);
  app.footer(kExamples);
  return [flags](Context& context) { return run_explain(*flags, context); };
}

}  // namespace railyard::apps
