#include "apps/sweep/sweep_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <ostream>
#include <string>
#include <thread>
#include <utility>

#include "apps/cli/progress.hpp"
#include "apps/cli/shell_words.hpp"
#include "apps/sweep/point_run.hpp"
#include "core/diagnostic.hpp"
#include "core/parallel.hpp"
#include "core/sweep/running_sweep.hpp"
#include "hw/world/agreement.hpp"
#include "hw/world/child_processes.hpp"
#include "hw/world/launcher.hpp"
#include "hw/world/task_server.hpp"
#include "hw/world/world.hpp"

namespace railyard::apps {
namespace {

using core::sweep::Outcome;
using core::sweep::PointKey;
using core::sweep::PointQueue;

/// How long ranks wait for each other before and after the points.
constexpr Time kTimeout = Time::seconds(60);

std::string counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

/// The outcome of a point without results.
Outcome failed(std::string error, int exit_code) {
  return {
      .exit_code = exit_code, .error = std::move(error), .notes = {}, .seconds = 0, .tables = {}};
}

std::string reason_of(const hw::ProcessEnd& end) {
  if (!end.signal)
    return fmt::format("the process of this point ended with exit code {}", end.exit_code);
  return fmt::format("the process of this point was killed by signal {} ({}){}", *end.signal,
                     strsignal(*end.signal),
                     *end.signal == SIGKILL ? "; the kernel does this if memory runs out: fewer "
                                              "--threads need less"
                                            : "");
}

std::vector<PointKey> keys_of(PointRunner& runner) {
  std::vector<PointKey> keys(runner.count());
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = {runner.values(i), runner.digest(i)};
  return keys;
}

core::sweep::SweepStart start_of(const SweepRequest& request, const SweepFlags& flags,
                                 PointRunner& runner) {
  core::sweep::SweepStart start{.database = flags.database,
                                .definition = request.definition(),
                                .keys = keys_of(runner),
                                .costs = {},
                                .shard = request.shard,
                                .retries = flags.retries};
  for (const PointKey& key : start.keys)
    start.costs.push_back(estimated_cost(words_of_point(request, key.values)));
  return start;
}

/// The points of a sweep that this process hands out, their progress and the final report.
class Sweep {
 public:
  Sweep(const SweepRequest& request, const SweepFlags& flags, PointRunner& runner, Context& context)
      : flags_(flags),
        runner_(runner),
        context_(context),
        running_(start_of(request, flags, runner)) {
    note_standing();
    progress_.emplace(context_, missing_points());
  }

  [[nodiscard]] PointQueue& points() { return running_.points(); }
  [[nodiscard]] std::size_t missing_points() const { return running_.order().size(); }
  [[nodiscard]] const std::string& digest(std::size_t point) const {
    return running_.digest(point);
  }

  /// Writes the outcome of a point. An error of the database ends the sweep.
  void done(std::size_t point, const Outcome& outcome) {
    const std::size_t rows = running_.finish(point, outcome);
    const std::lock_guard lock(mutex_);
    if (progress_) progress_->next(counted(rows, "row"));
  }

  /// Called if the rank that ran a point is lost. After the second loss the point counts as failed.
  void lost(std::size_t point) {
    if (points().give_back(point)) return;
    done(point, failed("two ranks ended while they ran this point", ExitCode::backend_missing));
  }

  void note(const std::string& text) {
    const std::lock_guard lock(mutex_);
    print_note(context_, text);
  }

  /// Runs points on threads of this process until none are left.
  void run(int threads) {
    std::vector<std::thread> workers;
    const auto work = [this] {
      while (const auto point = points().next()) done(*point, runner_.run(*point));
    };
    for (int i = 1; i < threads; ++i) workers.emplace_back(work);
    work();
    for (std::thread& worker : workers) worker.join();
  }

  /// Runs each point in a separate process, so that a killed process affects no other point.
  void run_apart(int processes) {
    const auto ended = [this](std::size_t point, const Outcome& outcome) {
      done(point, outcome);
      running_.rethrow();
    };
    hw::run_in_processes(
        {.tasks = running_.order(),
         .run = [this](std::size_t point) { return core::sweep::to_text(runner_.run(point)); },
         .done = [&](std::size_t point,
                     const std::string& text) { ended(point, core::sweep::outcome_of(text)); },
         .lost =
             [&](std::size_t point, const hw::ProcessEnd& end) {
               ended(point, failed(reason_of(end), ExitCode::internal));
             }},
        processes);
  }

  [[nodiscard]] int report() {
    progress_.reset();
    running_.close();
    const auto failures = running_.failures();
    const std::size_t before = running_.states().done, now = missing_points();
    const std::size_t failed = running_.states().failed + failures.size();
    context_.out << fmt::format("{}: {} run now, {} before; {} failed\n",
                                counted(before + now, "point"), now, before, failed);
    context_.out << fmt::format("Results: railyard sweep show{}\n", shell_words({flags_.database}));
    print_failures(failures);
    return failed == 0 ? ExitCode::done : ExitCode::finding;
  }

 private:
  void note_standing() const {
    const core::sweep::PointStates& states = running_.states();
    if (states.changed > 0)
      print_note(context_, fmt::format("{} run again, because the inputs changed",
                                       counted(states.changed, "point")));
    if (states.others > 0)
      print_note(context_, fmt::format("{} kept in the database: values outside this sweep",
                                       counted(states.others, "point")));
  }

  void print_failures(const std::vector<std::pair<std::size_t, std::string>>& failures) const {
    constexpr std::size_t kMost = 3;
    for (std::size_t i = 0; i < std::min(failures.size(), kMost); ++i) {
      const auto& [point, error] = failures[i];
      print_error(context_, fmt::format("point {}: {}", point, error.substr(0, error.find('\n'))));
    }
    if (failures.size() > kMost)
      print_note(context_,
                 fmt::format("{} more failed; 'railyard sweep show{} --failed' lists them",
                             failures.size() - kMost, shell_words({flags_.database})));
  }

  const SweepFlags& flags_;
  PointRunner& runner_;
  Context& context_;
  core::sweep::RunningSweep running_;
  std::mutex mutex_;
  std::optional<Progress> progress_;
};

/// Rank 0 of several: runs the sweep, or tells the others that there is nothing to run.
int run_rank_zero(const SweepRequest& request, const SweepFlags& flags, PointRunner& runner,
                  std::unique_ptr<hw::World> world, int threads, Context& context) {
  std::unique_ptr<Sweep> sweep;
  std::unique_ptr<hw::TaskServer> server;
  try {
    sweep = std::make_unique<Sweep>(request, flags, runner, context);
    server = std::make_unique<hw::TaskServer>(
        *world, (world->processes() - 1) * static_cast<std::size_t>(threads),
        hw::TaskQueue{.next = [&] { return sweep->points().next(); },
                      .digest = [&](std::size_t point) { return sweep->digest(point); },
                      .done =
                          [&](std::size_t point, const std::string& result) {
                            sweep->done(point, core::sweep::outcome_of(result));
                          },
                      .lost = [&](std::size_t point) { sweep->lost(point); },
                      .note = [&](const std::string& text) { sweep->note(text); }});
  } catch (...) {
    (void)world->broadcast("");
    throw;
  }
  (void)world->broadcast(server->invitation());
  // Finalises MPI here, so that a rank that ends later does not abort the others.
  world.reset();
  server->start();
  sweep->run(threads);
  server->finish();
  return sweep->report();
}

int run_on_ranks(const SweepFlags& flags, Context& context) {
  std::unique_ptr<hw::World> world = context.open_world(kTimeout);
  hw::require_same_command(*world, context.command);
  SweepRequest request;
  std::unique_ptr<PointRunner> runner;
  hw::set_up_together(*world, [&] {
    request = sweep_request(flags);
    runner = std::make_unique<PointRunner>(request, context);
  });
  // Each rank uses one core by default; several ranks on a machine share it.
  const int threads = flags.threads == 0 ? 1 : flags.threads;
  const std::uint32_t rank = world->process();
  if (rank == 0) return run_rank_zero(request, flags, *runner, std::move(world), threads, context);
  const std::string invitation = world->broadcast("");
  world.reset();
  if (invitation.empty()) return ExitCode::wrong_input;
  hw::work_for_rank_zero(
      invitation, rank, threads,
      {.run = [&](std::size_t point) { return core::sweep::to_text(runner->run(point)); },
       .digest = [&](std::size_t point) { return runner->digest(point); }});
  return ExitCode::done;
}

}  // namespace

int run_sweep(const SweepFlags& flags, Context& context) {
  const auto launch = hw::launched();
  if (launch && launch->ranks > 1 && context.open_world != nullptr)
    return run_on_ranks(flags, context);
  const SweepRequest request = sweep_request(flags);
  PointRunner runner(request, context);
  Sweep sweep(request, flags, runner, context);
  sweep.run_apart(static_cast<int>(
      std::min<std::size_t>(static_cast<std::size_t>(core::thread_count(flags.threads)),
                            std::max<std::size_t>(sweep.missing_points(), 1))));
  return sweep.report();
}

}  // namespace railyard::apps
