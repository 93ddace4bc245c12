#include "sim/flow/flow_network.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <numeric>

#include "core/parallel.hpp"
#include "sim/flow/byte_check.hpp"
#include "sim/flow/expanded_bound.hpp"
#include "sim/flow/flow_run.hpp"
#include "sim/flow/flow_workspace.hpp"
#include "sim/flow/task_parts.hpp"
#include "sim/link_capacity.hpp"

namespace railyard::sim {
namespace {

using collectives::Run;
using collectives::Task;

struct PartRun {
  Run run;
  FluidCounts counts;
};

PartRun run_one(const FlowProblem& problem, const FlowOptions& options, FlowWorkspace& workspace) {
  FlowRun flow(problem, options, workspace);
  PartRun result{.run = flow.run(), .counts = {}};
  result.counts = flow.counts();
  return result;
}

Run run_together(std::span<const Task> tasks, const FlowOptions& options,
                 FlowWorkspace& workspace) {
  std::vector<std::uint32_t> all(tasks.size());
  std::iota(all.begin(), all.end(), 0U);
  const FlowProblem problem{tasks, all, LinkNumbers(workspace.cluster.link_count())};
  auto [run, counts] = run_one(problem, options, workspace);
  run.notes.push_back(to_text(counts));
  return std::move(run);
}

/// Combines the runs of independent parts. The result does not depend on the order in which they
/// end.
Run merged(std::vector<PartRun> results, const TaskParts& parts, std::size_t tasks) {
  Run all;
  all.tasks.resize(tasks);
  FluidCounts counts;
  for (std::size_t i = 0; i < results.size(); ++i) {
    Run& run = results[i].run;
    for (std::size_t t = 0; t < run.tasks.size(); ++t)
      all.tasks[parts.parts[i].tasks[t]] = std::move(run.tasks[t]);
    all.link_loads.insert(all.link_loads.end(), run.link_loads.begin(), run.link_loads.end());
    counts.add(results[i].counts);
    run = {};
  }
  std::sort(all.link_loads.begin(), all.link_loads.end(),
            [](const auto& a, const auto& b) { return a.link < b.link; });
  all.notes.push_back(
      fmt::format("{}; {} parts without a link in common", to_text(counts), results.size()));
  return all;
}

Run run_as(const topology::Cluster& cluster, std::span<const Task> tasks, const FlowOptions& how) {
  const auto most = static_cast<int>(std::min<std::size_t>(tasks.size(), 1024));
  const int threads = std::clamp(how.threads, 1, std::max(most, 1));
  FlowWorkspaces workspaces(cluster, how, threads);
  const auto parts = independent_parts(tasks, how, cluster.link_count(), workspaces, threads);
  if (!parts) {
    Run run = run_together(tasks, how, workspaces.of(0));
    if (how.coalesce == 0) check_link_loads(cluster, run);
    check_bytes(cluster, tasks, how, run);
    return run;
  }
  std::vector<PartRun> results(parts->parts.size());
  std::atomic<std::size_t> done = 0;
  FlowOptions options = how;
  if (how.watch)
    options.watch = [&](const RunProgress& part) {
      const double share = static_cast<double>(done) / static_cast<double>(results.size());
      return how.watch({RunProgress::Phase::transfers, share, part.simulated});
    };
  core::parallel_for(results.size(), threads, [&](std::size_t i, std::size_t worker) {
    const TaskPart& part = parts->parts[i];
    const FlowProblem problem{tasks, part.tasks, LinkNumbers(part.links, parts->number_of)};
    results[i] = run_one(problem, options, workspaces.of(worker));
    ++done;
  });
  Run run = merged(std::move(results), *parts, tasks.size());
  // With merged completions a link may have carried up to this much time more than the run allows.
  if (how.coalesce == 0) check_link_loads(cluster, run);
  check_bytes(cluster, tasks, how, run);
  return run;
}

}  // namespace

FlowNetwork::FlowNetwork(const topology::Cluster& cluster, FlowOptions options)
    : cluster_(cluster), options_(std::move(options)) {}

Run FlowNetwork::run(std::span<const Task> tasks) {
  Run run = run_as(cluster_, tasks, options_);
  const auto is_shorter = [](const Task& task) { return has_streams(*task.schedule); };
  if (!options_.expand || std::ranges::none_of(tasks, is_shorter)) return run;
  FlowOptions streams = options_;
  streams.expand = streams.timeline = streams.certify = false;
  streams.announce = {};
  std::string comparison = compare_with_streams(tasks, run, run_as(cluster_, tasks, streams));
  if (!comparison.empty()) run.caveats.push_back(std::move(comparison));
  return run;
}

}  // namespace railyard::sim
