#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <memory>
#include <set>

#include "apps/cli/commands.hpp"
#include "apps/cli/nccl_flags.hpp"
#include "apps/cli/progress.hpp"
#include "apps/cli/setting.hpp"
#include "apps/explain/explain_sections.hpp"
#include "apps/explain/tuner_rows.hpp"
#include "apps/output/range_pct.hpp"
#include "apps/output/result_output.hpp"
#include "apps/output/routing_columns.hpp"
#include "apps/sim/timing.hpp"
#include "collectives/nccl/graph/graph_xml.hpp"
#include "collectives/nccl/search/search.hpp"
#include "collectives/nccl/tuner/tuner_files.hpp"
#include "collectives/nccl/tuning/copy_engine_model.hpp"
#include "core/diagnostic.hpp"
#include "core/size_text.hpp"
#include "sim/engine.hpp"
#include "topology/cluster/read_timings.hpp"

namespace railyard::apps {
namespace {

struct ExplainFlags {
  ClusterFlags cluster;
  CollectiveFlags collective;
  NcclFlags nccl;
  FabricFlags fabric;
  TimingFlags timing;
  OutputFlags output;
  bool rings = false, range = false;
  std::string tuner_csv, tuner_json, graph_xml;
};

namespace nccl = collectives::nccl;

struct ExplainRow {
  std::string collective;
  nccl::AlgorithmChoice choice;
  std::optional<double> predicted_us;  ///< by the analytic engine
};

RowValue if_allowed(const ExplainRow& row, double value) {
  return row.choice.why_not.empty() ? RowValue(value) : RowValue();
}

/// NCCL's table has entries that NCCL never chooses.
RowValue if_tabled(const ExplainRow& row, double value) {
  return row.choice.bandwidth_GBps > 0 ? RowValue(value) : if_allowed(row, value);
}

constexpr ColumnStyle kTwo{.decimals = 2};

constexpr std::array<Column<ExplainRow>, 12> kColumns{{
    {"collective",
     [](const ExplainRow& r) -> RowValue { return r.collective; },
     {.joins_heading = true}},
    {"bytes",
     [](const ExplainRow& r) -> RowValue { return r.choice.bytes.count(); },
     {.is_size = true}},
    {"algorithm", [](const ExplainRow& r) -> RowValue { return r.choice.algorithm; }},
    {"protocol",
     [](const ExplainRow& r) -> RowValue { return std::string(to_text(r.choice.protocol)); }},
    {"channels",
     [](const ExplainRow& r) {
       return r.choice.why_not.empty() ? RowValue(std::int64_t{r.choice.channels}) : RowValue();
     }},
    {"latency_us", [](const ExplainRow& r) { return if_tabled(r, r.choice.latency_us); }, kTwo},
    {"bandwidth_GBps", [](const ExplainRow& r) { return if_tabled(r, r.choice.bandwidth_GBps); },
     kTwo},
    {"time_us", [](const ExplainRow& r) { return if_allowed(r, r.choice.time_us); }, kTwo},
    {"allowed", [](const ExplainRow& r) -> RowValue { return r.choice.why_not.empty(); }},
    {"chosen", [](const ExplainRow& r) -> RowValue { return r.choice.chosen; }},
    {"bound_by",
     [](const ExplainRow& r) -> RowValue {
       return r.choice.why_not.empty() ? r.choice.bound_by : r.choice.why_not;
     }},
    {"predicted_us",
     [](const ExplainRow& r) {
       return r.predicted_us ? if_allowed(r, *r.predicted_us) : RowValue();
     },
     {.decimals = 2, .before = "allowed"}},
}};

/// State of the command: the request, the cluster, and the choices on it.
class Explanation {
 public:
  Explanation(const ExplainFlags& flags, Context& context)
      : flags_(flags),
        context_(context),
        provenance_{.command = context.command, .facts = {}, .configs = {}, .seed = 0},
        environment_(nccl_environment_of(flags.nccl)),
        fabric_(with_environment(flags.fabric, environment_)),
        cluster_(load_cluster(flags.cluster, fabric_, provenance_)),
        analytic_(sim::make_engine(cluster_, engine_options())),
        chooser_(cluster_, *analytic_, environment_),
        timing_(make_timing(cluster_, flags.cluster, flags.timing, environment_)),
        timed_(sim::make_engine(cluster_, timed_options())),
        asked_{.group = group_of(cluster_, flags.cluster),
               .collective = collective_of(flags.collective),
               .algorithm = flags.collective.algorithm,
               .protocol = protocol_of(flags.collective),
               .channels = flags.collective.channels},
        sizes_(sizes_of(flags.collective)) {
    add_facts(flags.cluster, cluster_, provenance_);
    provenance_.seed = seed_of(cluster_, flags.collective.seed);
    provenance_.facts.emplace_back("nccl", flags.nccl.version);
    add_timing_facts(timing_.get(), flags.timing, provenance_);
    add_routing_facts(engine_options().routing, provenance_);
  }

  int run() {
    check_tuner_output();
    check_registered();
    if (!environment_.release_note.empty()) print_note(context_, environment_.release_note);
    std::vector<Section> sections;
    if (wants_tuning()) sections.push_back({"tuner", tuned()});
    if (flags_.tuner_csv == "-" || flags_.tuner_json == "-") return ExitCode::done;
    if (!flags_.graph_xml.empty())
      write_text(
          nccl::write_graph_xml(chooser_.model(*asked_.group).communicator.graphs,
                                nccl::first_node(cluster_, *asked_.group, environment_.search)),
          flags_.graph_xml, context_);
    if (flags_.graph_xml == "-") return ExitCode::done;
    std::vector<ExplainRow> rows = choice_rows();
    if (environment_.registered) sections.push_back({"symmetric", registered_rows()});
    note_nccl_view();
    std::set<std::string> notes;
    if (!environment_.release_note.empty()) notes.insert(environment_.release_note);
    for (const std::string& note : provenance_.notes)
      if (notes.insert(note).second) print_note(context_, note);
    for (const ExplainRow& row : rows)
      if (!row.choice.note.empty() && notes.insert(row.choice.note).second)
        print_note(context_, row.choice.note);
    provenance_.notes.assign(notes.begin(), notes.end());
    if (!nccl::is_tuned(asked_.collective.kind))
      sections.push_back({"p2p", p2p_rows(chooser_, asked_, sizes_)});
    if (flags_.rings) sections.push_back({"orders", order_rows(chooser_, asked_)});
    RowTable table = tabulate(kColumns, rows);
    add_routing(engine_options().routing, asked_.group->nodes().size() > 1, table);
    add_range(table);
    write_result({.kind = "explain",
                  .provenance = provenance_,
                  .rows = std::move(table),
                  .sections = std::move(sections)},
                 flags_.output, context_);
    return ExitCode::done;
  }

 private:
  [[nodiscard]] bool wants_tuning() const {
    return !flags_.tuner_csv.empty() || !flags_.tuner_json.empty();
  }

  /// Adds range_pct, the range of predicted_us, if it is requested or a part is nominal.
  void add_range(RowTable& rows) {
    if (!timing_) {
      if (flags_.range)
        throw InputError("", "--range", "requires fitted times", "omit --timing nominal");
      return;
    }
    const collectives::nccl::MachineRange range(
        cluster_, topology::read_timings(flags_.cluster.cluster), asked_.group->nodes().size() > 1);
    for (const std::string& note : add_machine_range(range, flags_.range, rows, provenance_))
      print_note(context_, note);
  }

  /// Adds a note on NCCL's view of the machine if it differs from the cluster file.
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

  void check_registered() const {
    if (environment_.registered && wants_tuning())
      throw InputError("", "--registered", "tuning files contain algorithms and protocols only",
                       "leave out --tuner-csv and --tuner-json");
  }

  /// The symmetric kernels of each size. If one is available, NCCL uses it instead of an algorithm.
  RowTable registered_rows() {
    std::vector<SymmetricRow> kernels;
    const auto& communicator = chooser_.model(*asked_.group).communicator;
    for (const Bytes size : sizes_) {
      const nccl::TuningQuery query{.kind = asked_.collective.kind,
                                    .bytes = size.count(),
                                    .type = asked_.collective.type,
                                    .op = asked_.collective.op};
      for (auto& estimate : nccl::registered_estimates(communicator, query, environment_.zero_ctas))
        kernels.push_back({size, std::move(estimate)});
    }
    return symmetric_rows(kernels);
  }

  /// If a tuning or graph file goes to standard output, no other output may.
  void check_tuner_output() const {
    const OutputFlags& output = flags_.output;
    const int tuner =
        (flags_.tuner_csv == "-") + (flags_.tuner_json == "-") + (flags_.graph_xml == "-");
    if (tuner == 0 || (tuner == 1 && output.json.empty() && output.csv.empty())) return;
    throw InputError("", flags_.graph_xml == "-" ? "--graph-xml" : "--tuner-csv",
                     "only one result can go to standard output",
                     "write this one to a file, or leave out --json and --csv");
  }

  /// Writes the tuning files; returns their ranges as rows.
  RowTable tuned() {
    const topology::Cluster one_switch = nccl::on_one_switch(cluster_);
    const auto ideal = sim::make_engine(one_switch, {.fidelity = "flow"});
    const auto engines = fabric_engines();
    const nccl::TuningFabric fabric{.chooser = chooser_,
                                    .engines = engines,
                                    .pace = timing_.get(),
                                    .one_switch = ideal.get(),
                                    .group = asked_.group};
    const std::vector<Bytes> sizes = tuning_sizes();
    Progress progress(context_, nccl::tuning_steps(sizes));
    const nccl::TunerPlan plan =
        plan_tuning(fabric, sizes, [&](collectives::Kind kind, Bytes size) {
          progress.next(fmt::format("{} {}", to_text(kind), core::size_text(size.count())));
        });
    const std::string about =
        fmt::format("{}: {} ranks on {} nodes, by railyard explain ({} times)",
                    cluster_.spec().name, plan.ranks, plan.nodes, timing_ ? "fitted" : "nominal");
    if (!flags_.tuner_csv.empty()) write_text(tuner_csv(plan, about), flags_.tuner_csv, context_);
    if (!flags_.tuner_json.empty())
      write_text(tuner_json(plan, about), flags_.tuner_json, context_);
    return tuner_rows(plan);
  }

  /// One engine, or with ECMP hashing several seeds, whose mean is used.
  [[nodiscard]] std::vector<std::unique_ptr<collectives::Executor>> fabric_engines() const {
    constexpr std::uint64_t kSeeds = 3;
    sim::EngineOptions options = engine_options("flow");
    options.timing = timing_;
    const bool hashed = options.routing.policy == topology::RoutingPolicy::ecmp;
    std::vector<std::unique_ptr<collectives::Executor>> engines;
    for (std::uint64_t i = 0; i < (hashed ? kSeeds : 1); ++i, ++options.routing.seed)
      engines.push_back(sim::make_engine(cluster_, options));
    return engines;
  }

  /// The sizes of -b and -e, by default 1K to 1G.
  [[nodiscard]] std::vector<Bytes> tuning_sizes() const {
    CollectiveFlags flags = flags_.collective;
    flags.bytes.clear();
    if (flags.min_bytes.empty()) flags.min_bytes = "1K";
    if (flags.max_bytes.empty()) flags.max_bytes = "1G";
    return sizes_of(flags);
  }

  [[nodiscard]] sim::EngineOptions engine_options(std::string fidelity = "analytic") const {
    return {.fidelity = std::move(fidelity),
            .routing = routing_of(cluster_, fabric_, flags_.collective.seed),
            .faults = faults_of(cluster_, fabric_)};
  }

  /// The options of railyard sim --fidelity analytic.
  [[nodiscard]] sim::EngineOptions timed_options() const {
    sim::EngineOptions options = engine_options();
    options.timing = timing_;
    options.loads = false;
    return options;
  }

  /// Predicted time of a choice that has no schedule here. Not available with faults or other
  /// routing.
  [[nodiscard]] std::optional<double> paced(const nccl::AlgorithmChoice& choice) {
    if (!timing_ || !fabric_.failures.empty() || !fabric_.degradations.empty()) return std::nullopt;
    const auto pace = timing_->pace(*asked_.group, {.collective = asked_.collective,
                                                    .algorithm = choice.algorithm,
                                                    .protocol = choice.protocol,
                                                    .channels = choice.channels});
    return pace ? std::optional(pace->total().microseconds()) : std::nullopt;
  }

  /// The time that a benchmark would measure: what railyard sim --fidelity analytic prints for the
  /// algorithm and protocol.
  [[nodiscard]] ExplainRow row_of(nccl::AlgorithmChoice& choice) {
    ExplainRow row{std::string(to_text(asked_.collective.kind)), choice, {}};
    if (!choice.why_not.empty()) return row;
    if (!choice.no_schedule.empty()) {
      row.predicted_us = paced(choice);
      return row;
    }
    nccl::ChoiceRequest request = asked_;
    request.algorithm = choice.algorithm;
    request.protocol = choice.protocol;
    const collectives::Schedule schedule = chooser_.chosen_schedule(request);
    const collectives::Task task{.schedule = &schedule, .start = Time(), .name = {}};
    const collectives::TaskResult result = timed_->run({&task, 1}).tasks.front();
    row.predicted_us = (result.finish - result.start).microseconds();
    if (is_beyond_nccl(result.bound_by)) row.choice.bound_by = result.bound_by.text;
    return row;
  }

  /// Whether NCCL's estimate ignores this limit: faults, links between switches, and waits between
  /// sends.
  [[nodiscard]] bool is_beyond_nccl(const collectives::Binding& bound) const {
    if (!fabric_.failures.empty() || !fabric_.degradations.empty()) return true;
    if (bound.link.is_none()) return bound.text != "latency" && bound.text != "messages to peers";
    return timing_ && cluster_.link(bound.link).kind == topology::LinkKind::fabric;
  }

  /// The choices at each size.
  std::vector<ExplainRow> choice_rows() {
    std::vector<ExplainRow> rows;
    Progress progress(context_, sizes_.size());
    for (const Bytes size : sizes_) {
      progress.next(core::size_text(size.count()));
      asked_.collective.bytes = size;
      for (nccl::AlgorithmChoice& choice : chooser_.choices(asked_)) rows.push_back(row_of(choice));
    }
    return rows;
  }

  const ExplainFlags& flags_;
  Context& context_;
  Provenance provenance_;
  nccl::NcclEnvironment environment_;
  FabricFlags fabric_;
  topology::Cluster cluster_;
  std::unique_ptr<collectives::Executor> analytic_;
  nccl::Chooser chooser_;
  std::shared_ptr<nccl::FittedPace> timing_;
  std::unique_ptr<collectives::Executor> timed_;
  nccl::ChoiceRequest asked_;
  std::vector<Bytes> sizes_;
};

int run_explain(const ExplainFlags& flags, Context& context) {
  check_output(flags.output);
  return Explanation(flags, context).run();
}

constexpr const char* kExamples =
    "Lists for each size every algorithm and protocol of NCCL's tuning table on this cluster: "
    "latency,\nbandwidth, time, channels, and the limit, or the reason why NCCL does not use it. "
    "NCCL chooses by\ntime_us, its own estimate; 'railyard sim --algorithm auto' runs that choice. "
    "predicted_us is the time\nthat a benchmark would measure, by the fitted time model (as in "
    "'railyard sim --fidelity analytic').\n--algorithm with the name of an algorithm that NCCL "
    "does not have prints its time by the analytic model.\nFor all_to_all and send_recv the table "
    "lists the algorithms of the analytic model and NCCL's choice; a\nsecond table shows how NCCL "
    "carries out the sends.\n"
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
               "Add range_pct, the 80 % range of predicted_us (docs/models/ranges.md) [only if a "
               "part of the machine was not fitted]");
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
