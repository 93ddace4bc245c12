#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <CLI/Validators.hpp>

#include <memory>

#include "apps/bench_run.hpp"
#include "apps/commands.hpp"

namespace railyard::apps {
namespace {

constexpr const char* kExamples =
    "Runs the schedule of a collective for real, checks every element of the result, and prints "
    "times\n"
    "as nccl-tests does (time_us is the mean of the iterations).\n"
    "\n"
    "The backend local runs all ranks as threads of this process, with real buffers and "
    "reductions: it\n"
    "measures this machine's memory and cores, not a network. --predict CLUSTER puts the flow "
    "simulation\n"
    "of the same schedule on that cluster beside each row; for local the error says how far this "
    "machine\n"
    "is from that cluster. The backends mpi and nccl belong to railyard-cluster.\n"
    "\n"
    "Examples:\n"
    "  railyard bench --backend local --gpus 8 -b 1K -e 64M -f 8\n"
    "  railyard bench --backend local --gpus 16 --collective all_to_all --bytes 4M -w 5 -n 50\n"
    "  railyard bench --backend local --gpus 8 --predict dgx_h100_ndr400 --bytes 16M --json "
    "rows.json";

/// The inside of a node is a table of ways between all its GPUs.
constexpr int kMostRanks = 1024;

CLI::Validator from(int least) { return CLI::Range(least, 1'000'000'000); }

}  // namespace

RunCommand add_bench(CLI::App& app) {
  const auto flags = std::make_shared<BenchFlags>();
  const char* group = "Bench";
  app.add_option("--backend", flags->backend, "local, mpi or nccl")
      ->type_name("NAME")
      ->capture_default_str()
      ->group(group);
  app.add_option("--predict", flags->predict,
                 "cluster file or name whose prediction stands beside each row")
      ->type_name("FILE")
      ->group(group);
  app.add_option("--nodes", flags->nodes, "number of nodes of that cluster, instead of the file's")
      ->type_name("N")
      ->check(from(1))
      ->group(group);
  app.add_option("-w,--warmup", flags->repetition.warmup, "iterations that are not counted")
      ->type_name("N")
      ->check(from(0))
      ->capture_default_str()
      ->group(group);
  app.add_option("-n,--iterations", flags->repetition.iterations, "iterations that are counted")
      ->type_name("N")
      ->check(from(1))
      ->capture_default_str()
      ->group(group);
  app.add_option("-c,--check", flags->check, "check the result of each size: 1 or 0")
      ->type_name("0|1")
      ->check(CLI::Range(0, 1))
      ->capture_default_str()
      ->group(group);
  app.add_option("--threads", flags->threads,
                 "threads of the backend local, instead of one per core")
      ->type_name("N")
      ->check(from(1))
      ->group(group);
  app.add_option("--gpus", flags->gpus, "number of ranks")
      ->type_name("N")
      ->check(CLI::Range(1, kMostRanks))
      ->capture_default_str()
      ->group(group);
  add_collective_flags(app, flags->collective);
  add_output_flags(app, flags->output);
  add_trace_flag(app, flags->output);
  app.footer(kExamples);
  return [flags](Context& context) { return run_bench(*flags, context); };
}

}  // namespace railyard::apps
