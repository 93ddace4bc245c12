#include "apps/place/queue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "apps/cli/entry_error.hpp"
#include "apps/cli/refused_flags.hpp"
#include "apps/output/result_output.hpp"
#include "apps/output/row_values.hpp"
#include "apps/place/place_engine.hpp"
#include "core/config/config_path.hpp"
#include "core/diagnostic.hpp"
#include "placement/jobs/given_strategy.hpp"
#include "placement/jobs/leaf_groups.hpp"
#include "placement/jobs/queue_arrangement.hpp"
#include "placement/jobs/queue_fields.hpp"
#include "placement/jobs/queue_notes.hpp"

namespace railyard::apps {
namespace {

using placement::ArrivingJob;
using placement::Mapping;
using placement::QueueArrangement;

/// Default number of a job's strategies to simulate.
constexpr int kVerifiedPerJob = 5;

/// A job with its best strategy if it runs alone on the free nodes.
ArrivingJob arriving(const PlaceRequest& request, const placement::QueuedJob& queued,
                     Provenance& provenance) {
  ProblemSource source = request.source;
  source.job = queued.job;
  source.batch = queued.batch;
  source.cluster.gpus = queued.gpus;
  Provenance own;
  placement::GivenProblem given =
      placement::read_given({.fix = queued.fix}, read_problem(source, own));
  provenance.configs = own.configs;
  provenance.seed = own.seed;
  return placement::arriving_job(queued.name, std::move(given),
                                 {.space = request.space,
                                  .top = 1,
                                  .verify = request.verify.value_or(kVerifiedPerJob),
                                  .engines = engines_of(request.fidelity, request.announce)});
}

struct Row {
  const ArrivingJob& job;
  const Mapping& mapping;
  double step = 0;
  std::size_t leaf_groups = 0;
};

template <class Value>
RowValue if_placed(const Row& r, Value value) {
  return r.mapping.size() > 0 ? RowValue(value) : RowValue();
}

/// How much longer the step takes, in per cent; 0 below 0.05 %, because hashes differ between
/// nodes.
double slower_percent(const Row& r) {
  const double percent = 100 * (r.step / r.job.step_alone - 1);
  return std::abs(percent) < 0.05 ? 0.0 : percent;
}

constexpr std::array<Column<Row>, 8> kColumns{{
    {"name", [](const Row& r) -> RowValue { return r.job.name; }},
    {"gpus", [](const Row& r) -> RowValue { return std::int64_t{r.job.strategy.gpus()}; }},
    {"nodes",
     [](const Row& r) -> RowValue {
       return r.mapping.size() == 0 ? "no room"
                                    : placement::node_list(r.job.problem.cluster, r.mapping.gpus);
     }},
    {"leaf_groups",
     [](const Row& r) { return if_placed(r, static_cast<std::int64_t>(r.leaf_groups)); }},
    {"alone_s", [](const Row& r) -> RowValue { return r.job.step_alone; }, kThousandths},
    {"step_s", [](const Row& r) { return if_placed(r, r.step); }, kThousandths},
    {"slower_pct", [](const Row& r) { return if_placed(r, slower_percent(r)); }, kTenths},
    {"strategy", [](const Row& r) -> RowValue { return placement::to_text(r.job.strategy); }},
}};

RowTable tabulate_queue(std::span<const ArrivingJob> jobs, const QueueArrangement& placed) {
  const placement::Tiers tiers(jobs.front().problem.cluster);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < jobs.size(); ++i)
    rows.push_back({jobs[i], placed.mappings[i], placed.steps[i],
                    placement::count_leaf_groups(tiers, placed.mappings[i].gpus)});
  return tabulate(kColumns, rows);
}

/// Throws InputError for flags that do not apply to a queue.
void check_request(const PlaceRequest& request) {
  Diagnostics problems("");
  refuse({{!request.source.job.empty(), "--job"},
          {!request.source.model.empty(), "--model"},
          {!request.given.empty(), request.given.fix.empty() ? "--from-megatron" : "--fix"},
          {request.source.batch.has_value(), "--batch"},
          {request.source.cluster.gpus.has_value(), "--gpus"}},
         "applies to one job, not to a queue", "set it in the file of --queue", problems);
  refuse({{request.is_elastic(), request.lost.empty() ? "--added" : "--lost"},
          {request.objective.objective.has_value(), "--objective"},
          {request.max_batch.has_value(), "--max-batch"},
          {request.top.has_value(), "--top"},
          {request.restart.has_value(), "--restart"},
          {request.wide, "--wide"},
          {request.whole_step, "--whole-step"},
          {!request.workload.empty(), "--workload"},
          {request.range, "--range"},
          {request.timeline, "--timeline"},
          {!request.output.trace.empty(), "--trace"}},
         "is not supported with --queue", "place the job by itself with --job", problems);
  if (request.mapping)
    problems.add("--mapping", "changes nothing with --queue: mappings are always searched",
                 "leave it out");
  if (prints_launch_file(request.launch))
    problems.add("--emit", "one format applies to one job, not to a queue",
                 "give a folder: --emit DIR");
  problems.throw_if_any();
}

void emit_each(const PlaceRequest& request, std::span<const ArrivingJob> jobs,
               const QueueArrangement& placed, Context& context) {
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (placed.mappings[i].size() == 0) continue;
    LaunchRequest launch = request.launch;
    for (std::string& folder : launch.targets) folder += "/" + jobs[i].name;
    launch.job = jobs[i].name;  // two jobs may have the same config
    emit({.request = launch,
          .problem = jobs[i].problem,
          .strategy = jobs[i].strategy,
          .mapping = placed.mappings[i]},
         context);
  }
}

}  // namespace

int run_queue(const PlaceRequest& request, Context& context) {
  check_request(request);
  const auto queue = core::read_config<placement::Queue>(request.queue);
  Provenance provenance{.command = context.command};
  provenance.facts.emplace_back("queue", request.queue);
  std::vector<ArrivingJob> jobs;
  // Reported for --cluster, not for an entry of the queue.
  (void)core::resolve_config(request.source.cluster.cluster, "clusters");
  for (std::size_t i = 0; i < queue.jobs.size(); ++i) {
    try {
      jobs.push_back(arriving(request, queue.jobs[i], provenance));
    } catch (const InputError& error) {
      constexpr std::array<std::string_view, 4> kKeys{"job", "gpus", "batch", "fix"};
      throw at_entry(error, fmt::format("/jobs/{}", i), kKeys).in_file(request.queue);
    }
  }
  if (jobs.empty()) throw InputError(request.queue, "/jobs", "is empty");
  const QueueArrangement placed =
      placement::arrange_queue(jobs, engines_of(request.fidelity, request.announce));
  write_result({.kind = "queue", .provenance = provenance, .rows = tabulate_queue(jobs, placed)},
               request.output, context);
  for (const std::string& text : placement::queue_notes(jobs, placed)) print_note(context, text);
  emit_each(request, jobs, placed, context);
  return placed.placed == jobs.size() ? ExitCode::done : ExitCode::finding;
}

}  // namespace railyard::apps
