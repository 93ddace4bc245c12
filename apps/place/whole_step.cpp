#include "apps/place/whole_step.hpp"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <ostream>
#include <utility>

#include "apps/output/result_output.hpp"
#include "apps/place/place_engine.hpp"
#include "apps/place/search_watch.hpp"
#include "collectives/workload/role_times.hpp"
#include "collectives/workload/workload_json.hpp"
#include "core/config/output_file.hpp"
#include "placement/simulate/step_workload.hpp"
#include "placement/simulate/whole_step_timeline.hpp"

namespace railyard::apps {
namespace {

using collectives::RolePathShare;
using collectives::RoleTimes;
using collectives::Workload;
using collectives::WorkloadRun;
using placement::WholeStepRun;

constexpr ColumnStyle kSeconds{.decimals = 4};

constexpr std::array<Column<RoleTimes>, 10> kRoles{{
    {"role", [](const RoleTimes& r) -> RowValue { return r.role; }},
    {"ranks", [](const RoleTimes& r) -> RowValue { return static_cast<std::int64_t>(r.ranks); }},
    {"step_s", [](const RoleTimes& r) -> RowValue { return r.end.seconds(); }, kSeconds},
    {"compute_s", [](const RoleTimes& r) -> RowValue { return r.times.compute.seconds(); },
     kSeconds},
    {"communication_s",
     [](const RoleTimes& r) -> RowValue { return r.times.communication.seconds(); }, kSeconds},
    {"exposed_s", [](const RoleTimes& r) -> RowValue { return r.times.exposed.seconds(); },
     kSeconds},
    {"peer_wait_s", [](const RoleTimes& r) -> RowValue { return r.times.peer_wait.seconds(); },
     kSeconds},
    {"link_wait_s", [](const RoleTimes& r) -> RowValue { return r.times.link_wait.seconds(); },
     kSeconds},
    {"copy_s", [](const RoleTimes& r) -> RowValue { return r.times.copy.seconds(); }, kSeconds},
    {"idle_s", [](const RoleTimes& r) -> RowValue { return r.times.idle.seconds(); }, kSeconds},
}};

constexpr std::array<Column<RolePathShare>, 5> kPath{{
    {"role", [](const RolePathShare& r) -> RowValue { return r.role; }},
    {"operation", [](const RolePathShare& r) -> RowValue { return r.what; }},
    {"count", [](const RolePathShare& r) -> RowValue { return r.operations; }},
    {"time_s", [](const RolePathShare& r) -> RowValue { return r.time.seconds(); }, kSeconds},
    {"share_pct",
     [](const RolePathShare& r) -> RowValue { return 100 * r.share; },
     {.decimals = 1}},
}};

/// Adds the times of the roles, and the critical path.
void add_sections(const Workload& workload, const WorkloadRun& run,
                  const placement::SimulatedStrategy& best, ResultDocument& document,
                  Context& context) {
  for (const std::string& text : run.notes) note(document.provenance, context, text);
  note(document.provenance, context,
       fmt::format("the whole step as one workload takes {:.4f} s; by formula {:.4f} s{}",
                   run.total.seconds(), best.scored.step.total.seconds(),
                   best.simulated && !best.as_workload
                       ? fmt::format(", pass by pass {:.4f} s", best.simulated->total.seconds())
                       : ""));
  document.sections.push_back({"whole_step", tabulate(kRoles, role_times(workload, run))});
  document.sections.push_back({"critical_path", tabulate(kPath, role_path_shares(workload, run))});
}

/// The step of the best strategy: the run of the search, or a new run if the search kept none, or
/// if all micro-batches are requested and it simulated only the first ones.
std::shared_ptr<const WholeStepRun> step_to_show(const PlaceRequest& request,
                                                 const placement::PlaceProblem& problem,
                                                 const placement::SimulatedStrategy& best,
                                                 const placement::Mapping& mapping) {
  if (best.whole && (best.micro_batches == 0 || !request.whole_step)) return best.whole;
  auto workload = std::make_shared<const Workload>(
      placement::step_workload(problem.context(), best.scored.strategy));
  WorkloadRun run =
      workload_runner(request.fidelity, problem, request.announce)(*workload, mapping.gpus, 0);
  return std::make_shared<const WholeStepRun>(WholeStepRun{std::move(workload), std::move(run)});
}

}  // namespace

bool add_whole_step(const PlaceRequest& request, const placement::PlaceProblem& problem,
                    const placement::SimulatedStrategy& best, const placement::Mapping& mapping,
                    ResultDocument& document, Context& context) {
  const bool traces = !request.output.trace.empty() && (best.as_workload || request.whole_step);
  if (!request.whole_step && !traces && request.workload.empty()) return false;
  if (!request.workload.empty())
    core::write_file(request.workload, [&](std::ostream& out) {
      out << collectives::write_workload(
                 placement::step_workload(problem.context(), best.scored.strategy))
          << '\n';
    });
  if (!request.whole_step && !traces) return false;
  const auto step = step_to_show(request, problem, best, mapping);
  if (request.whole_step) add_sections(*step->workload, step->run, best, document, context);
  if (!traces) return false;
  if (step == best.whole && best.micro_batches > 0)
    print_note(context, fmt::format("the trace contains the first {} micro-batches, which the "
                                    "search simulated; --whole-step simulates all of them",
                                    best.micro_batches));
  collectives::Run trace;
  trace.timeline = trace_events(*step->workload, step->run);
  write_trace_file(trace, request.output, context);
  return true;
}

std::vector<placement::StepEvent> whole_step_events(const PlaceRequest& request,
                                                    const placement::PlaceProblem& problem,
                                                    const placement::SimulatedStrategy& best,
                                                    const placement::Mapping& mapping,
                                                    int micro_batches) {
  const placement::Strategy& strategy = best.scored.strategy;
  const Workload workload = placement::step_workload(problem.context(), strategy, micro_batches);
  // With equal numbers of operations the search already ran this step.
  if (best.whole && best.whole->workload->operation_count() == workload.operation_count())
    return placement::whole_step_timeline(strategy, *best.whole->workload, best.whole->run);
  const WorkloadRun run =
      workload_runner(request.fidelity, problem, request.announce)(workload, mapping.gpus, 0);
  return placement::whole_step_timeline(strategy, workload, run);
}

}  // namespace railyard::apps
