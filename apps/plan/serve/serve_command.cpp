#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <sstream>
#include <utility>

#include "apps/output/output_folder.hpp"
#include "apps/output/result_output.hpp"
#include "apps/plan/plan_commands.hpp"
#include "apps/plan/serve/serve_calibration.hpp"
#include "apps/plan/serve/serve_flags.hpp"
#include "apps/plan/serve/serve_request.hpp"
#include "apps/plan/serve/serve_rows.hpp"
#include "core/diagnostic.hpp"
#include "placement/serving/emit/engine_files.hpp"
#include "placement/serving/planner/served_run.hpp"
#include "placement/serving/planner/serving_answer.hpp"
#include "sim/trace.hpp"

namespace railyard::apps {
namespace {

using namespace placement::serving;

void write_engine_files(const ServeFlags& flags, const ServingOption& best,
                        const ServingCandidate& candidate, Context& context) {
  OutputFolder folder("--emit", flags.emit, "a folder");
  const auto name = [](const std::string& model) {
    return std::filesystem::path(model).stem().string();
  };
  for (const EngineFile& file : engine_files(best, name(flags.model), name(flags.draft_model),
                                             static_cast<int>(candidate.fabric.gpus_per_node)))
    folder.write(file.name, file.text, context);
  folder.print_files(context);
}

/// Checks files of flags that only this command has. At most one result may use standard output.
void check_own_output(const ServeFlags& flags) {
  bool is_taken = flags.out.json == "-" || flags.out.csv == "-";
  for (const auto& [flag, file] :
       {std::pair{"--requests", &flags.requests}, std::pair{"--timeline", &flags.timeline},
        std::pair{"--step-trace", &flags.step_trace}, std::pair{"--calibrate", &flags.calibrate}}) {
    check_output_file(flag, *file);
    if (*file != "-") continue;
    if (is_taken)
      throw InputError("", flag, "is written to standard output, which another flag already uses",
                       fmt::format("{} FILE", flag));
    is_taken = true;
  }
}

int run_serve(const ServeFlags& flags, Context& context) {
  check_output(flags.out);
  check_own_output(flags);
  if (!flags.calibrate.empty()) check_calibration_flags(flags);
  Provenance provenance{.command = context.command, .seed = flags.seed};
  const ServeRequest asked = serve_request(flags, provenance);
  const ServingPlanRequest& request = asked.plan;
  if (!flags.calibrate.empty()) return run_calibration(flags, request, provenance, context);
  const ServingPlan plan = plan_serving(request);
  if (plan.options.empty())
    throw InputError("", "--candidates",
                     "no candidate can serve this traffic: " + plan.refused.front().why,
                     "try other clusters, more GPUs, or a smaller format of the weights");
  const ServingOption& best = plan.options.front();
  const auto candidate =
      std::ranges::find(request.candidates, best.cluster, &ServingCandidate::cluster);
  provenance.facts.emplace_back("model", request.model.name);
  if (!asked.currency.empty()) provenance.facts.emplace_back("currency", asked.currency);
  for (const ServingCandidate& one : request.candidates)
    if (!request.efficiency && !has_measured_serving(one.gpu))
      provenance.notes.push_back(
          fmt::format("no engine was measured on {}, so the range is that of GPUs outside the fit",
                      one.gpu.gpu.name));
  ResultDocument document{
      .kind = "plan_serve",
      .provenance = provenance,
      .answers = {answer_of(best, request.demand, asked.currency)},
      .rows = tabulate_serving(plan.options),
      .sections = {{"pareto", tabulate_pareto(pareto_points(request, *candidate))},
                   {"refused", tabulate_refused(plan.refused)}}};
  const bool has_times = std::ranges::any_of(request.demand.trace, [](const Request& r) {
    return r.measured_ttft > 0 || r.measured_tpot > 0;
  });
  // Curves are only for report pages; they are not printed as tables.
  const bool has_curves = !flags.out.json.empty();
  ServedRun run;
  if (has_times || has_curves || !flags.requests.empty() || !flags.timeline.empty() ||
      !flags.step_trace.empty())
    run = serve_option(request, best, !flags.step_trace.empty());
  if (has_curves) {
    document.sections.push_back(
        {"load_sweep", tabulate_load_sweep(load_sweep(request, best)), false});
    document.sections.push_back(
        {"latency", tabulate_latency(latency_quantiles(run.requests)), false});
    document.sections.push_back({"steps", tabulate_steps(step_parts(request, best)), false});
    document.sections.push_back({"timeline", tabulate_timeline(run.timeline), false});
  }
  const auto comparison = compare_with_trace(request.demand.trace, run.requests);
  if (!comparison.empty())
    document.sections.push_back({"measured", tabulate_comparison(comparison)});
  const bool has_output = flags.requests == "-" || flags.timeline == "-" || flags.step_trace == "-";
  write_result(document, flags.out, context, has_output ? Table::no : Table::yes);
  for (const std::string& note : provenance.notes) print_note(context, note);
  const auto write_rows = [&](const RowTable& table, const std::string& file) {
    if (file.empty()) return;
    std::ostringstream rows;
    write_csv(table, rows);
    write_text(rows.str(), file, context);
  };
  write_rows(tabulate_requests(run.requests), flags.requests);
  write_rows(tabulate_timeline(run.timeline), flags.timeline);
  if (!flags.step_trace.empty()) {
    std::ostringstream trace;
    const std::size_t left_out = sim::write_trace(trace, run.spans, {});
    write_text(trace.str(), flags.step_trace, context);
    if (left_out > 0)
      print_note(context, fmt::format("--step-trace: the {} shortest of {} steps are left out",
                                      left_out, run.spans.size()));
  }
  if (!flags.emit.empty()) write_engine_files(flags, best, *candidate, context);
  return best.meets ? ExitCode::done : ExitCode::finding;
}

}  // namespace

RunCommand add_plan_serve(FlagSet app) {
  const auto flags = std::make_shared<ServeFlags>();
  add_serve_flags(app, *flags);
  return [flags](Context& context) { return run_serve(*flags, context); };
}

}  // namespace railyard::apps
