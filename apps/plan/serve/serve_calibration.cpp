#include "apps/plan/serve/serve_calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>

#include "apps/output/result_output.hpp"
#include "apps/plan/serve/serve_rows.hpp"
#include "core/diagnostic.hpp"
#include "placement/serving/measured/request_fit.hpp"
#include "placement/serving/planner/plan_case.hpp"
#include "placement/serving/planner/serving_plan.hpp"
#include "placement/serving/step/calibrated_efficiency.hpp"

namespace railyard::apps {
namespace {

using namespace placement::serving;

/// The deployment that served the trace, with as many replicas as the GPUs hold.
ServingOption measured_option(const ServingPlanRequest& request) {
  const ServingCandidate& candidate = request.candidates.front();
  const std::vector<Deployment> all = splits(request, candidate);
  if (all.size() != 1)
    throw InputError(
        "", "--calibrate",
        fmt::format("{} splits are possible: state which one served the trace", all.size()),
        request.model.moe ? "give one value of --tp and one of --ep" : "give one value of --tp");
  const Deployment& split = all.front();
  if (candidate.gpus % split.gpus() != 0)
    throw InputError("", "--gpus",
                     fmt::format("{} GPUs are not a whole number of replicas of {}", candidate.gpus,
                                 split.gpus()),
                     fmt::format("--gpus {}", split.gpus()));
  const PlanCase c = plan_case(request, candidate, split, 0);
  if (const auto why = why_refused(c))
    throw InputError(
        "", "--calibrate", "this deployment cannot serve: " + *why,
        "check that --tp, --ep, --weights and --kv are those of the measured deployment");
  ServingOption option = c.option();
  option.replicas = candidate.gpus / split.gpus();
  return option;
}

/// "300 requests of a.csv: llama3_8b by vllm on 2 GPUs of rtx_pro_6000_8, tp 2, bf16".
std::string measured_text(const ServeFlags& flags, const ServingPlanRequest& request,
                          const Deployment& split) {
  std::string text = fmt::format(
      "{} requests of {}: {} by {} on {} GPU{} of {}, tp {}", request.demand.trace.size(),
      std::filesystem::path(flags.trace).filename().string(), request.model.name, flags.engine,
      flags.gpus, flags.gpus == 1 ? "" : "s", request.candidates.front().cluster, split.tp);
  if (split.attention_dp > 1) text += fmt::format(", attention_dp {}", split.attention_dp);
  if (split.ep > 1) text += fmt::format(", ep {}", split.ep);
  return text +
         fmt::format(", weights {}, KV cache {}, at most {} sequences and {} tokens per step{}",
                     flags.weights, flags.kv.empty() ? "bf16" : flags.kv, flags.max_sequences,
                     flags.token_budget, flags.no_graphs ? ", without CUDA graphs" : "");
}

}  // namespace

void check_calibration_flags(const ServeFlags& flags) {
  std::vector<Diagnostic> problems;
  if (flags.trace.empty())
    problems.push_back({"", "--calibrate", "requires measured requests",
                        "--trace FILE with the columns ttft_ms and tpot_ms"});
  if (flags.gpus == 0)
    problems.push_back(
        {"", "--calibrate", "requires the number of GPUs that served the trace", "--gpus N"});
  if (flags.candidates.size() > 1)
    problems.push_back({"", "--candidates", "--calibrate applies to one machine", "one cluster"});
  const std::pair<const char*, bool> unused[] = {{"--rate", !flags.rate.empty()},
                                                 {"--ttft", !flags.ttft.empty()},
                                                 {"--tpot", !flags.tpot.empty()},
                                                 {"--margin", flags.margin.has_value()},
                                                 {"--price", !flags.price.empty()},
                                                 {"--disaggregate", flags.disaggregate},
                                                 {"--autoscale", flags.autoscale > 0},
                                                 {"--emit", !flags.emit.empty()},
                                                 {"--requests", !flags.requests.empty()},
                                                 {"--timeline", !flags.timeline.empty()},
                                                 {"--step-trace", !flags.step_trace.empty()},
                                                 {"--max-pp", flags.pp > 1}};
  for (const auto& [flag, is_given] : unused)
    if (is_given)
      problems.push_back({"", flag, "cannot be combined with --calibrate",
                          "leave it out, and plan with --efficiency afterwards"});
  if (flags.calibrate == "-" || flags.calibrate == flags.out.json ||
      flags.calibrate == flags.out.csv)
    problems.push_back({"", "--calibrate", "needs a separate file", "--calibrate machine.json"});
  if (!problems.empty()) throw InputError(std::move(problems));
}

int run_calibration(const ServeFlags& flags, const ServingPlanRequest& request,
                    const Provenance& provenance, Context& context) {
  const ServingOption option = measured_option(request);
  const RequestFit fit = fit_requests(request, option);
  const CalibratedEfficiency file{
      .engine = option.deployment.engine,
      .measured = measured_text(flags, request, option.deployment),
      .values = changed_values(fit.efficiency, option.deployment.engine)};
  write_text(core::write_config(file, ""), flags.calibrate, context);
  write_result({.kind = "serving_calibration",
                .provenance = provenance,
                .rows = tabulate_calibration(fit.parameters),
                .sections = {{"errors", tabulate_calibration_errors(fit)}}},
               flags.out, context);
  print_note(context,
             fmt::format("{}: {} of {} parameters fitted", flags.calibrate,
                         std::ranges::count_if(fit.parameters, &RequestFit::Parameter::identified),
                         fit.parameters.size()));
  for (const std::string& note : provenance.notes) print_note(context, note);
  return ExitCode::done;
}

}  // namespace railyard::apps
