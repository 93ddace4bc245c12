#include <fmt/format.h>

#include <memory>
#include <ostream>

#include "apps/cli/commands.hpp"
#include "apps/cli/refused_flags.hpp"
#include "apps/cli/shell_words.hpp"
#include "apps/cli/thread_flag.hpp"
#include "apps/output/result_output.hpp"
#include "apps/sweep/point_run.hpp"
#include "apps/sweep/slurm_array.hpp"
#include "apps/sweep/sweep_run.hpp"
#include "apps/sweep/sweep_show.hpp"
#include "core/diagnostic.hpp"

namespace railyard::apps {
namespace {

constexpr const char* kExamples = R"(
Runs a command for many inputs and writes its rows to an SQLite database. To resume a killed sweep, repeat
its command line; to extend a sweep, add values to it. Only missing points run. A point runs again if its
input files or the version of railyard changed.

FIELD is a flag of the command (nodes) or a field of a config file that a flag names (cluster:/fabric/
leaf_oversubscription, cluster:/node/gpu/memory). VALUES are a list (2,4,8), a range (2..64, 2..64:+2,
1M..1G:*4), or with --samples an interval of real numbers (0.5..2, 0.1..10:log). A ';' separates values
that contain commas. An empty value leaves the field unchanged.

Examples:
  railyard sweep --grid nodes=2,4,8 --grid routing=rail,ecmp --set cluster=dgx_h100_ndr400 \
      --db out.sqlite -- sim --collective all_reduce --bytes 1G
  railyard sweep show out.sqlite --pivot nodes routing time_us
  railyard sweep --grid 'cluster:/fabric/leaf_oversubscription=1,2,4' --db taper.sqlite -- sim \
      --cluster clos_rail_h100 --nodes 64 --collective all_to_all --bytes 256M
  railyard sweep --grid bytes=1K..8G:*2 --grid nodes=1..64 --samples 200 --seed 7 --db r.sqlite -- \
      explain --cluster dgx_h100_ndr400
  railyard sweep --file configs/examples/sweep.json --db plan.sqlite
  mpirun -np 16 --enable-recovery railyard-cluster sweep --grid nodes=2..128 --db out.sqlite -- \
      sim --cluster clos_rail_h100
  railyard sweep --grid nodes=2..128 --db out.sqlite --emit slurm-array --shards 16 -- \
      sim --cluster clos_rail_h100 > sweep.sbatch)";

constexpr const char* kShowExamples = R"(
Examples:
  railyard sweep show out.sqlite --where routing=rail --columns nodes,time_us,bound_by
  railyard sweep show out.sqlite --pivot nodes routing busbw_GBps
  railyard sweep show out.sqlite --csv out.csv
  railyard report out.sqlite -o report.html)";

/// The words after "sweep", without those that the script of a job array sets.
std::vector<std::string> words_of_shards(const SweepFlags& flags) {
  std::vector<std::string> words;
  const auto add = [&](const char* flag, const std::vector<std::string>& values) {
    for (const std::string& value : values) words.insert(words.end(), {flag, value});
  };
  if (!flags.file.empty()) words.insert(words.end(), {"--file", flags.file});
  add("--set", flags.set);
  add("--list", flags.list);
  add("--grid", flags.grid);
  if (flags.samples) words.insert(words.end(), {"--samples", std::to_string(*flags.samples)});
  if (flags.seed) words.insert(words.end(), {"--seed", std::to_string(*flags.seed)});
  if (flags.retries) words.emplace_back("--retry");
  if (!flags.command.empty()) words.emplace_back("--");
  words.insert(words.end(), flags.command.begin(), flags.command.end());
  return words;
}

int emit_script(const SweepFlags& flags, Context& context) {
  if (flags.emit != "slurm-array")
    throw InputError("", "--emit", fmt::format("'{}' is not a supported job script", flags.emit),
                     "slurm-array");
  if (!flags.shards)
    throw InputError("", "--shards", "is required with --emit slurm-array",
                     "the number of jobs of the array: --shards 16");
  if (!flags.shard.empty())
    throw InputError("", "--shard", "is set by the script for each of its jobs", "leave it out");
  const SweepRequest request = sweep_request(flags);
  const PointRunner checked(request, context);
  context.out << slurm_array(words_of_shards(flags), flags.database, *flags.shards, flags.threads);
  print_note(context, fmt::format("{} points in {} shards", checked.count(), *flags.shards));
  return ExitCode::done;
}

/// Throws InputError for flags that only apply to a run.
void check_list_flags(const SweepFlags& flags) {
  Diagnostics problems("");
  refuse({{!flags.database.empty(), "--db"},
          {flags.threads != 0, "--threads"},
          {flags.retries, "--retry"},
          {!flags.emit.empty(), "--emit"},
          {flags.shards.has_value(), "--shards"}},
         "--list-points runs nothing", "leave one of them out", problems);
  problems.throw_if_any();
}

/// Prints the points of the shard.
int list_points(const SweepFlags& flags, Context& context) {
  check_list_flags(flags);
  const SweepRequest request = sweep_request(flags);
  const PointRunner runner(request, context);
  for (std::size_t i = request.shard.number; i < runner.count(); i += request.shard.count) {
    context.out << "railyard" << shell_words(words_of_point(request, runner.values(i)));
    std::string changed;
    for (std::size_t k = 0; k < request.fields.size(); ++k)
      if (!core::sweep::pointer_of(request.fields[k]).empty() && !runner.values(i)[k].empty())
        changed += fmt::format("{}{}={}", changed.empty() ? "  # with " : ", ", request.fields[k],
                               runner.values(i)[k]);
    context.out << changed << '\n';
  }
  return ExitCode::done;
}

int run(const SweepFlags& flags, Context& context) {
  if (flags.lists) return list_points(flags, context);
  if (flags.database.empty())
    throw InputError("", "--db", "is required: the database to which the rows are written",
                     "--db out.sqlite");
  if (!flags.emit.empty()) return emit_script(flags, context);
  if (flags.shards)
    throw InputError("", "--shards", "belongs to --emit slurm-array", "--shard I/N runs one shard");
  check_output_file("--db", flags.database);
  return run_sweep(flags, context);
}

RunCommand add_show(FlagSet app) {
  const auto flags = std::make_shared<SweepShowFlags>();
  app.add_option("database", flags->database, "Database of a sweep").required().type_name("DB");
  const Flag pivot =
      app.add_option("--pivot", flags->pivot,
                     "Print a pivot table with a row for each value of the column ROW and a column "
                     "for each value of COL; its cells contain VALUE");
  pivot.type_name("ROW COL VALUE");
  app.add_option("--aggregate", flags->aggregate,
                 "Statistic of a cell with several rows: min, median, mean, max or count [none: an "
                 "error]")
      .type_name("NAME");
  const Flag where = app.add_option(
      "--where", flags->where,
      "Only rows with this value (repeatable): COLUMN=VALUE, or with !=, <, <=, >, >=");
  where.type_name("CONDITION").one_argument().take_all();
  const Flag columns = app.add_option(
      "--columns", flags->columns,
      "Columns to print; also point, kind, exit_code, seconds, error, notes and digest "
      "[the fields and the columns of the rows]");
  columns.type_name("NAME,...").delimiter(',').one_argument().excludes(pivot);
  app.add_flag("--failed", flags->failed, "List the failed points with their errors")
      .excludes(pivot)
      .excludes(where)
      .excludes(columns);
  add_output_flags(app, flags->output);
  app.footer(kShowExamples);
  return [flags](Context& context) { return show_sweep(*flags, context); };
}

struct MergeFlags {
  std::string database;
  std::vector<std::string> others;
};

int merge(const MergeFlags& flags, Context& context) {
  check_output_file("DB", flags.database);
  const core::sweep::Definition definition =
      core::sweep::StoredResults(flags.others.front()).definition();
  core::sweep::Store store(flags.database, definition);
  for (const std::string& other : flags.others)
    context.out << fmt::format("{}: points added: {}\n", other, store.merge(other));
  store.close();
  return ExitCode::done;
}

RunCommand add_merge(FlagSet app) {
  const auto flags = std::make_shared<MergeFlags>();
  app.add_option("database", flags->database, "Database to add to; created if it does not exist")
      .required()
      .type_name("DB");
  app.add_option("others", flags->others, "Databases of shards of the same sweep")
      .required()
      .type_name("SHARD...");
  app.footer(
      "Example:\n"
      "  railyard sweep merge out.sqlite out.shard*.sqlite");
  return [flags](Context& context) { return merge(*flags, context); };
}

void add_flags(FlagSet app, SweepFlags& flags) {
  app = app.under("Points");
  app.add_option("--set", flags.set, "Field with one value (repeatable)")
      .type_name("FIELD=VALUE")
      .one_argument()
      .take_all();
  app.add_option("--grid", flags.grid,
                 "Field with its values (repeatable); every combination is a point")
      .type_name("FIELD=VALUES")
      .one_argument()
      .take_all();
  app.add_option("--list", flags.list,
                 "Field whose values advance together with the other --list fields (repeatable)")
      .type_name("FIELD=VALUES")
      .one_argument()
      .take_all();
  app.add_option("--samples", flags.samples,
                 "Draw N different random points instead of running all combinations")
      .type_name("N")
      .check(at_least(1));
  app.add_option("--seed", flags.seed, "Random seed of --samples [1]")
      .type_name("N")
      .check(at_least(0));
  app.add_option("-f,--file", flags.file,
                 "Read command, fields and samples from a JSON file (railyard schema sweep)")
      .type_name("FILE");
  app.add_flag("--list-points", flags.lists, "Print the command line of each point; run nothing");
  app = app.under("Running");
  app.add_option("--db", flags.database,
                 "SQLite database for the rows; created if it does not exist")
      .type_name("FILE");
  app.add_option("--threads", flags.threads,
                 "Number of points to run concurrently, each in its own process; rows do not "
                 "depend on it [one per core; under MPI 1 per rank]")
      .type_name("N")
      .check(in_range(1, 4096));
  app.add_flag("--retry", flags.retries, "Also run failed points again [off: they stay failed]");
  app.add_option("--shard", flags.shard, "Run every N-th point only, for example 0/16")
      .type_name("I/N");
  app.add_option("--emit", flags.emit,
                 "Print a job script instead of running the sweep: slurm-array (a Slurm job array "
                 "without MPI)")
      .type_name("KIND");
  app.add_option("--shards", flags.shards, "Number of jobs in the array of --emit")
      .type_name("N")
      .check(at_least(1));
}

}  // namespace

RunCommand add_sweep(FlagSet app) {
  const auto flags = std::make_shared<SweepFlags>();
  const auto runs = std::make_shared<std::vector<std::pair<FlagSet, RunCommand>>>();
  const auto add = [&](std::string_view name, std::string_view summary, auto add_flags_of) {
    const FlagSet sub = app.add_subcommand(name, summary);
    runs->emplace_back(sub, add_flags_of(sub));
  };
  add("show", "Print results of a sweep: rows, a pivot table, CSV", add_show);
  add("merge", "Join the databases of a job array", add_merge);
  add_flags(app, *flags);
  app.add_option("command", flags->command, "Command to run with its fixed flags, after --")
      .type_name("COMMAND...");
  app.footer(kExamples);
  return [flags, runs](Context& context) {
    for (const auto& [sub, run_sub] : *runs)
      if (sub.was_named()) return run_sub(context);
    return run(*flags, context);
  };
}

}  // namespace railyard::apps
