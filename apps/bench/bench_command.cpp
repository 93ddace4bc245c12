#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <CLI/Validators.hpp>

#include <memory>

#include "apps/bench/bench_run.hpp"
#include "apps/cli/commands.hpp"

namespace railyard::apps {
namespace {

constexpr const char* kExamples =
    "Runs the schedule of a collective for real, checks every element of the result on every "
    "rank, and\n"
    "prints times (time_us is the mean of the iterations, each that of its slowest rank).\n"
    "\n"
    "The backend local runs all ranks as threads of this process: it measures this machine's "
    "memory and\n"
    "cores, not a network. mpi and nccl run one rank per process by railyard-cluster; without a "
    "launcher\n"
    "(mpirun, srun) mpi starts mpirun with --gpus ranks on this machine. '--algorithm native' runs "
    "the\n"
    "library's own collective (MPI_Allreduce...) instead of our schedule. --predict CLUSTER puts "
    "the flow\n"
    "simulation of the same schedule on that cluster beside each row: by NCCL's fitted time model, "
    "of mpi\n"
    "by links and overheads alone.\n"
    "\n"
    "Examples:\n"
    "  railyard bench --backend local --gpus 8 -b 1K -e 64M -f 8\n"
    "  railyard bench --backend local --gpus 8 --predict dgx_h100_ndr400 --bytes 16M --json "
    "rows.json\n"
    "  railyard bench --backend mpi --gpus 4 --collective all_to_all --bytes 4M -w 5 -n 50\n"
    "  mpirun -np 16 --hostfile hosts railyard-cluster bench --algorithm native -b 1K -e 64M\n"
    "  railyard bench --backend local --gpus 4 --format nccl-tests -b 8 -e 64M > "
    "all_reduce_perf.txt\n"
    "  railyard bench --backend nccl --collective all_to_all --algorithm native --place out --env "
    "NCCL_PXN_DISABLE=1";

/// The inside of a node is a table of ways between all its GPUs.
constexpr int kMostRanks = 1024;

CLI::Validator from(int least) { return CLI::Range(least, 1'000'000'000); }

void add_gpu_flags(CLI::App& app, BenchFlags& flags) {
  const char* group = "GPUs (backend nccl)";
  app.add_option(
         "--libraries", flags.gpu.libraries,
         "folder of libnccl.so.2, libcudart.so.N and libnvrtc.so.N [where the loader looks]")
      ->type_name("DIR")
      ->group(group);
  app.add_option("--env", flags.environment,
                 "NCCL variable that is set before NCCL starts: NCCL_PXN_DISABLE=1; repeatable")
      ->type_name("NAME=VALUE")
      ->group(group);
  app.add_option("--clock", flags.clock, "host: from call to idle stream; events: CUDA events")
      ->type_name("CLOCK")
      ->check(CLI::IsMember({"host", "events"}))
      ->capture_default_str()
      ->group(group);
  app.add_flag("--graph", flags.gpu.graph, "capture each task once and launch it as a CUDA graph")
      ->group(group);
  app.add_flag("--registered", flags.gpu.registered, "register buffers with NCCL")->group(group);
  app.add_flag("--share-gpus", flags.gpu.share,
               "more ranks than GPUs: several on one (NCCL 2.30; bandwidths then mean nothing)")
      ->group(group);
  app.add_flag("--nccl-log", flags.gpu.log,
               "read NCCL's log for the algorithm, protocol and channels that it chose, and PXN")
      ->group(group);
}

}  // namespace

RunCommand add_bench(CLI::App& app) {
  const auto flags = std::make_shared<BenchFlags>();
  const char* group = "Bench";
  app.add_option("--backend", flags->backend, "local, mpi or nccl [local]")
      ->type_name("NAME")
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
  app.add_option("--gpus", flags->gpus, "number of ranks [local: 8; mpi: as launched, or cores]")
      ->type_name("N")
      ->check(CLI::Range(1, kMostRanks))
      ->group(group);
  app.add_option("--ranks", flags->ranks,
                 "the ranks of the predicted cluster that stand for the live ones, in order: "
                 "'0-7,16-23'")
      ->type_name("LIST")
      ->group(group);
  app.add_option("--mode", flags->mode,
                 "isolated: each iteration from a barrier on; back_to_back: all in one go")
      ->type_name("MODE")
      ->check(CLI::IsMember({"isolated", "back_to_back"}))
      ->capture_default_str()
      ->group(group);
  app.add_option("--place", flags->place,
                 "in: results where the data lay; out: elsewhere; both: a row for each [in; both "
                 "with --format nccl-tests]")
      ->type_name("PLACE")
      ->check(CLI::IsMember({"in", "out", "both"}))
      ->group(group);
  app.add_option("--timeout", flags->timeout,
                 "a call or message that takes longer has failed: '60 s'; '0 s' waits for ever")
      ->type_name("TIME")
      ->capture_default_str()
      ->group(group);
  app.add_option("--segment", flags->segment,
                 "mpi: pieces that messages are cut into, so that reductions overlap [1M]")
      ->type_name("SIZE")
      ->group(group);
  app.add_option("--min-busbw", flags->min_busbw,
                 "exit code 1 where the best busbw is less: '10 GB/s'")
      ->type_name("RATE")
      ->group(group);
  app.add_option(
         "--max-error", flags->max_error_pct,
         "with --predict: a row that is off by more says by which term (off_by), in percent")
      ->type_name("PERCENT")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->group(group);
  app.add_flag("--matrix", flags->matrix,
               "bandwidth of every pair of ranks instead, disjoint pairs at once; slow ones are "
               "named, with exit code 1")
      ->group(group);
  app.add_flag("--alone", flags->alone,
               "with --matrix: one pair after the other, with nothing else on the network")
      ->needs("--matrix")
      ->group(group);
  app.add_option("--format", flags->format,
                 "on standard output: our table, or the one that nccl-tests prints")
      ->type_name("NAME")
      ->check(CLI::IsMember({"table", "nccl-tests"}))
      ->capture_default_str()
      ->group(group);
  app.add_option("--in-flight", flags->in_flight,
                 "mpi: messages that a rank sends at once; 1 makes an all-to-all pairwise")
      ->type_name("N")
      ->check(from(1))
      ->capture_default_str()
      ->group(group);
  add_gpu_flags(app, *flags);
  add_collective_flags(app, flags->collective);
  add_timing_flags(app, flags->timing);
  add_output_flags(app, flags->output);
  add_trace_flag(app, flags->output);
  app.footer(kExamples);
  return [flags](Context& context) {
    flags->repetition.check = flags->check != 0;
    flags->repetition.back_to_back = flags->mode == "back_to_back";
    flags->gpu.events = flags->clock == "events";
    return run_bench(*flags, context);
  };
}

}  // namespace railyard::apps
