#include "apps/explain/explain_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "apps/cli/progress.hpp"
#include "apps/cli/setting.hpp"
#include "apps/explain/choice_rows.hpp"
#include "apps/explain/explain_sections.hpp"
#include "apps/explain/explain_setting.hpp"
#include "apps/explain/tuning_output.hpp"
#include "apps/output/range_pct.hpp"
#include "apps/output/result_output.hpp"
#include "apps/output/routing_columns.hpp"
#include "collectives/nccl/choice/choice_prediction.hpp"
#include "collectives/nccl/graph/graph_xml.hpp"
#include "collectives/nccl/search/search.hpp"
#include "collectives/nccl/tuning/copy_engine_model.hpp"
#include "core/diagnostic.hpp"
#include "core/size_text.hpp"
#include "topology/cluster/read_timings.hpp"

namespace railyard::apps {
namespace {

namespace nccl = collectives::nccl;

bool wants_tuning(const ExplainFlags& flags) {
  return !flags.tuner_csv.empty() || !flags.tuner_json.empty();
}

/// A tuning or graph file on standard output excludes other output there.
void check_tuner_output(const ExplainFlags& flags) {
  const OutputFlags& output = flags.output;
  const int tuner = (flags.tuner_csv == "-") + (flags.tuner_json == "-") + (flags.graph_xml == "-");
  if (tuner == 0 || (tuner == 1 && output.json.empty() && output.csv.empty())) return;
  throw InputError("", flags.graph_xml == "-" ? "--graph-xml" : "--tuner-csv",
                   "only one result can go to standard output",
                   "write this one to a file, or leave out --json and --csv");
}

/// Options of the engine of railyard sim --fidelity analytic.
sim::EngineOptions timed_options(const ExplainSetting& setting) {
  sim::EngineOptions options = setting.engine_options();
  options.timing = setting.timing;
  options.loads = false;
  return options;
}

/// A run of the command.
class Explanation {
 public:
  Explanation(const ExplainFlags& flags, Context& context)
      : flags_(flags),
        context_(context),
        provenance_{.command = context.command},
        setting_(flags, provenance_),
        timed_(sim::make_engine(setting_.cluster, timed_options(setting_))),
        sizes_(sizes_of(flags.collective)) {}

  int run() {
    check_tuner_output(flags_);
    check_registered();
    const nccl::NcclEnvironment& environment = setting_.environment;
    if (!environment.release_note.empty()) print_note(context_, environment.release_note);
    std::vector<Section> sections;
    if (wants_tuning(flags_)) sections.push_back({"tuner", write_tuning(setting_, context_)});
    if (flags_.tuner_csv == "-" || flags_.tuner_json == "-") return ExitCode::done;
    write_graph();
    if (flags_.graph_xml == "-") return ExitCode::done;
    const std::vector<ChoiceRow> rows = choice_rows();
    if (environment.registered) sections.push_back({"symmetric", registered_rows()});
    note_nccl_view();
    add_notes(rows);
    nccl::ChoiceRequest& asked = setting_.asked;
    if (!nccl::is_tuned(asked.collective.kind))
      sections.push_back({"p2p", p2p_rows(setting_.chooser, asked, sizes_)});
    if (flags_.rings) sections.push_back({"orders", order_rows(setting_.chooser, asked)});
    RowTable table = tabulate_choices(rows);
    add_routing(setting_.engine_options().routing, crosses_fabric(), table);
    add_range(table);
    write_result({.kind = "explain",
                  .provenance = provenance_,
                  .rows = std::move(table),
                  .sections = std::move(sections)},
                 flags_.output, context_);
    return ExitCode::done;
  }

 private:
  [[nodiscard]] bool crosses_fabric() const { return setting_.asked.group->nodes().size() > 1; }

  [[nodiscard]] const nccl::Communicator& communicator() {
    return setting_.chooser.model(*setting_.asked.group).communicator;
  }

  void check_registered() const {
    if (setting_.environment.registered && wants_tuning(flags_))
      throw InputError("", "--registered", "tuning files contain algorithms and protocols only",
                       "leave out --tuner-csv and --tuner-json");
  }

  void write_graph() {
    if (flags_.graph_xml.empty()) return;
    write_text(nccl::write_graph_xml(communicator().graphs,
                                     nccl::first_node(setting_.cluster, *setting_.asked.group,
                                                      setting_.environment.search)),
               flags_.graph_xml, context_);
  }

  /// Adds range_pct, that of predicted_us, where it is requested or a part is nominal.
  void add_range(RowTable& rows) {
    if (!setting_.timing) {
      if (flags_.range)
        throw InputError("", "--range", "requires fitted times", "omit --timing nominal");
      return;
    }
    const nccl::MachineRange range(setting_.cluster, topology::read_timings(flags_.cluster.cluster),
                                   crosses_fabric());
    for (const std::string& note : add_machine_range(range, flags_.range, rows, provenance_))
      print_note(context_, note);
  }

  /// Adds NCCL's view of the machine where it differs from the cluster file.
  void note_nccl_view() {
    if (setting_.asked.group->size() < 2) return;
    const nccl::Communicator& known = communicator();
    if (known.nodes != std::ssize(setting_.asked.group->nodes()))
      provenance_.facts.emplace_back("nccl_nodes", fmt::format("{}", known.nodes));
    std::vector<std::string_view> names;
    for (const auto& fused : known.fused_nets) names.push_back(fused.name);
    if (!names.empty())
      provenance_.facts.emplace_back("fused_nics", fmt::format("{}", fmt::join(names, " ")));
  }

  /// Prints the notes of the cluster and of the choices, each once, and keeps them.
  void add_notes(const std::vector<ChoiceRow>& rows) {
    std::set<std::string> notes;
    if (!setting_.environment.release_note.empty()) notes.insert(setting_.environment.release_note);
    for (const std::string& note : provenance_.notes)
      if (notes.insert(note).second) print_note(context_, note);
    for (const ChoiceRow& row : rows)
      if (!row.choice.note.empty() && notes.insert(row.choice.note).second)
        print_note(context_, row.choice.note);
    provenance_.notes.assign(notes.begin(), notes.end());
  }

  /// The symmetric kernels of each size. Where one is available, NCCL does not run an algorithm.
  RowTable registered_rows() {
    std::vector<SymmetricRow> kernels;
    const collectives::Collective& collective = setting_.asked.collective;
    for (const Bytes size : sizes_) {
      const nccl::TuningQuery query{.kind = collective.kind,
                                    .bytes = size.count(),
                                    .type = collective.type,
                                    .op = collective.op};
      for (auto& estimate :
           nccl::registered_estimates(communicator(), query, setting_.environment.zero_ctas))
        kernels.push_back({size, std::move(estimate)});
    }
    return symmetric_rows(kernels);
  }

  /// The choices at each size.
  std::vector<ChoiceRow> choice_rows() {
    const nccl::ChoicePrediction prediction{.chooser = setting_.chooser,
                                            .engine = *timed_,
                                            .pace = setting_.timing.get(),
                                            .has_faults = setting_.has_faults()};
    nccl::ChoiceRequest& asked = setting_.asked;
    const std::string collective(to_text(asked.collective.kind));
    std::vector<ChoiceRow> rows;
    Progress progress(context_, sizes_.size());
    for (const Bytes size : sizes_) {
      progress.next(core::size_text(size.count()));
      asked.collective.bytes = size;
      for (nccl::AlgorithmChoice& choice : setting_.chooser.choices(asked)) {
        const auto predicted = prediction.predict(asked, choice);
        rows.push_back({collective, std::move(choice), predicted});
      }
    }
    return rows;
  }

  const ExplainFlags& flags_;
  Context& context_;
  Provenance provenance_;
  ExplainSetting setting_;
  std::unique_ptr<collectives::Executor> timed_;
  std::vector<Bytes> sizes_;
};

}  // namespace

int run_explain(const ExplainFlags& flags, Context& context) {
  check_output(flags.output);
  return Explanation(flags, context).run();
}

}  // namespace railyard::apps
