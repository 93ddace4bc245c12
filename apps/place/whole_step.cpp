#include "apps/place/whole_step.hpp"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <ostream>
#include <utility>

#include "apps/output/result_output.hpp"
#include "apps/place/place_engine.hpp"
#include "apps/place/search_watch.hpp"
#include "collectives/workload/kind_times.hpp"
#include "collectives/workload/workload_json.hpp"
#include "core/config/output_file.hpp"
#include "placement/simulate/step_workload.hpp"
#include "placement/simulate/whole_step_timeline.hpp"

namespace railyard::apps {
namespace {

using collectives::RankTimes;
using collectives::Workload;
using collectives::WorkloadRun;
using placement::WholeStepRun;

struct RoleRow {
  std::string role;
  std::size_t ranks = 0;
  Time end;
  RankTimes times;
};

constexpr ColumnStyle kSeconds{.decimals = 4};

constexpr std::array<Column<RoleRow>, 10> kRoles{{
    {"role", [](const RoleRow& r) -> RowValue { return r.role; }},
    {"ranks", [](const RoleRow& r) -> RowValue { return static_cast<std::int64_t>(r.ranks); }},
    {"step_s", [](const RoleRow& r) -> RowValue { return r.end.seconds(); }, kSeconds},
    {"compute_s", [](const RoleRow& r) -> RowValue { return r.times.compute.seconds(); }, kSeconds},
    {"communication_s",
     [](const RoleRow& r) -> RowValue { return r.times.communication.seconds(); }, kSeconds},
    {"exposed_s", [](const RoleRow& r) -> RowValue { return r.times.exposed.seconds(); }, kSeconds},
    {"peer_wait_s", [](const RoleRow& r) -> RowValue { return r.times.peer_wait.seconds(); },
     kSeconds},
    {"link_wait_s", [](const RoleRow& r) -> RowValue { return r.times.link_wait.seconds(); },
     kSeconds},
    {"copy_s", [](const RoleRow& r) -> RowValue { return r.times.copy.seconds(); }, kSeconds},
    {"idle_s", [](const RoleRow& r) -> RowValue { return r.times.idle.seconds(); }, kSeconds},
}};

/// A line per role, with the times of the class of ranks that ends last.
std::vector<RoleRow> role_rows(const Workload& workload, const WorkloadRun& run) {
  std::vector<RoleRow> rows(workload.roles().size());
  for (const collectives::RankClassRun& its : run.classes) {
    RoleRow& row = rows[its.role];
    row.ranks += its.ranks.size();
    if (!row.role.empty() && its.end <= row.end) continue;
    row.role = workload.roles()[its.role].name;
    row.end = its.end;
    row.times = rank_times(workload, its);
  }
  return rows;
}

/// What the critical path consists of.
struct PathRow {
  std::string role{}, what{};
  std::int64_t operations = 0;
  Time time{};
  double share = 0;  ///< of the step
};

constexpr std::array<Column<PathRow>, 5> kPath{{
    {"role", [](const PathRow& r) -> RowValue { return r.role; }},
    {"operation", [](const PathRow& r) -> RowValue { return r.what; }},
    {"count", [](const PathRow& r) -> RowValue { return r.operations; }},
    {"time_s", [](const PathRow& r) -> RowValue { return r.time.seconds(); }, kSeconds},
    {"share_pct", [](const PathRow& r) -> RowValue { return 100 * r.share; }, {.decimals = 1}},
}};

/// A line per role and kind of work: computation, the name of a collective, messages. Lines below
/// 1 % of the step are joined into one for all roles.
std::vector<PathRow> path_rows(const Workload& workload, const WorkloadRun& run) {
  using collectives::OperationKind;
  const auto by_role_and_name = [&](const collectives::RankClassRun& ranks,
                                    const collectives::Operation& operation,
                                    const collectives::CriticalStep&) {
    return std::pair(ranks.role, operation.kind == OperationKind::collective
                                     ? workload.names()[operation.name]
                                     : std::string(to_text(operation.kind)));
  };
  std::vector<PathRow> rows;
  PathRow rest{.role = "all", .what = "others, each below 1 %"};
  for (const auto& [key, sum] : path_sums(workload, run, by_role_and_name)) {
    PathRow row{.role = workload.roles()[key.first].name,
                .what = key.second,
                .operations = static_cast<std::int64_t>(sum.steps),
                .time = sum.time};
    row.share = run.total > Time() ? row.time.seconds() / run.total.seconds() : 0;
    if (row.share >= 0.01) {
      rows.push_back(std::move(row));
      continue;
    }
    rest.operations += row.operations;
    rest.time += row.time;
    rest.share += row.share;
  }
  if (rest.operations > 0) rows.push_back(std::move(rest));
  return rows;
}

/// Times of the roles, and the critical path.
void add_sections(const Workload& workload, const WorkloadRun& run, const placement::Verified& best,
                  ResultDocument& document, Context& context) {
  for (const std::string& text : run.notes) note(document.provenance, context, text);
  note(document.provenance, context,
       fmt::format("the whole step as one workload takes {:.4f} s; by formula {:.4f} s{}",
                   run.total.seconds(), best.scored.step.total.seconds(),
                   best.simulated && !best.as_workload
                       ? fmt::format(", pass by pass {:.4f} s", best.simulated->total.seconds())
                       : ""));
  const std::vector<RoleRow> roles = role_rows(workload, run);
  const std::vector<PathRow> path = path_rows(workload, run);
  document.sections.push_back({"whole_step", tabulate(kRoles, roles)});
  document.sections.push_back({"critical_path", tabulate(kPath, path)});
}

/// The step of the best strategy: as the search ran it; run here where that kept none, or where all
/// micro-batches are asked for and it ran the first.
std::shared_ptr<const WholeStepRun> step_to_show(const PlaceRequest& request,
                                                 const placement::PlaceProblem& problem,
                                                 const placement::Verified& best,
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
                    const placement::Verified& best, const placement::Mapping& mapping,
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
    print_note(context, fmt::format("the trace has the first {} micro-batches, which the search "
                                    "simulated; --whole-step runs all of them",
                                    best.micro_batches));
  collectives::Run trace;
  trace.timeline = trace_events(*step->workload, step->run);
  write_trace_file(trace, request.output, context);
  return true;
}

std::vector<placement::StepEvent> whole_step_events(const PlaceRequest& request,
                                                    const placement::PlaceProblem& problem,
                                                    const placement::Verified& best,
                                                    const placement::Mapping& mapping,
                                                    int micro_batches) {
  const placement::Strategy& strategy = best.scored.strategy;
  const Workload workload = placement::step_workload(problem.context(), strategy, micro_batches);
  // As many operations: the search ran this step.
  if (best.whole && best.whole->workload->operation_count() == workload.operation_count())
    return placement::whole_step_timeline(strategy, *best.whole->workload, best.whole->run);
  const WorkloadRun run =
      workload_runner(request.fidelity, problem, request.announce)(workload, mapping.gpus, 0);
  return placement::whole_step_timeline(strategy, workload, run);
}

}  // namespace railyard::apps
