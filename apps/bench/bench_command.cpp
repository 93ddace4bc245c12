
#include <memory>

#include "apps/bench/bench_run.hpp"
#include "apps/cli/commands.hpp"

namespace railyard::apps {
namespace {

constexpr const char* kExamples = R"(
Runs a collective on real hardware, checks every element of the result on every rank, and prints times.
time_us is the median of the iterations. The time of an iteration is that of its slowest rank. A note
reports iterations that took more than twice the median.

--workload FILE runs a workload in Railyard's JSON (docs/models/workload.md) instead: its collectives and
messages move bytes, and its computation is busy time.

The backend local runs all ranks as threads of this process. It measures this machine's memory and
cores, not a network. The backends mpi and nccl run one rank per process with railyard-cluster. Without
a launcher (mpirun, srun), mpi starts mpirun with --gpus ranks on this machine. '--algorithm native'
runs the library's own collective (MPI_Allreduce, ncclAllReduce, ...) instead of Railyard's schedule.
--predict CLUSTER adds the predicted time of the same schedule to each row, by flow simulation on that
cluster. The prediction uses the fitted time model; with mpi only link rates and overheads.

Examples:
  railyard bench --backend local --gpus 8 -b 1K -e 64M -f 8
  railyard bench --backend local --gpus 8 --predict dgx_h100_ndr400 --bytes 16M --json rows.json
  railyard bench --backend mpi --gpus 4 --collective all_to_all --bytes 4M -w 5 -n 50
  mpirun -np 16 --hostfile hosts railyard-cluster bench --algorithm native -b 1K -e 64M
  mpirun -np 16 --hostfile hosts railyard-cluster bench --accept --predict cluster.json -b 64K -e 64M -f 8
  mpirun -np 8 --hostfile hosts railyard-cluster bench --workload step.json --predict cluster.json
  railyard bench --backend local --gpus 4 --format nccl-tests -b 8 -e 64M > all_reduce_perf.txt
  railyard bench --backend nccl --collective all_to_all --algorithm native --place out --env NCCL_PXN_DISABLE=1)";

/// Limit because a node stores a table of the paths between all its GPUs.
constexpr int kMostRanks = 1024;

ValueRule from(int least) { return in_range(least, 1'000'000'000); }

void add_gpu_flags(FlagSet app, BenchFlags& flags) {
  app = app.under("GPUs (backend nccl)");
  app.add_option(
         "--libraries", flags.gpu.libraries,
         "Folder of libnccl.so.2, libcudart.so.N and libnvrtc.so.N [the loader's search path]")
      .type_name("DIR");
  app.add_option("--env", flags.environment,
                 "Set an NCCL variable before NCCL starts: NCCL_PXN_DISABLE=1 (repeatable)")
      .type_name("NAME=VALUE");
  app.add_option(
         "--clock", flags.clock,
         "Clock: host (from the call until the stream is idle) or events (CUDA events) [host]")
      .type_name("CLOCK")
      .check(one_of({"host", "events"}));
  app.add_flag("--graph", flags.gpu.graph, "Capture each task once and launch it as a CUDA graph");
  app.add_flag("--registered", flags.gpu.registered, "Register buffers with NCCL");
  app.add_flag("--share-gpus", flags.gpu.share,
               "Allow several ranks per GPU (NCCL 2.30). The measured bandwidths are then not "
               "those of the hardware");
  app.add_flag("--nccl-log", flags.gpu.log,
               "Read the algorithm, protocol, channels and use of PXN from NCCL's log");
}

}  // namespace

RunCommand add_bench(FlagSet app) {
  const auto flags = std::make_shared<BenchFlags>();
  app = app.under("Bench");
  app.add_option("--backend", flags->backend, "Backend: local, mpi or nccl [local]")
      .type_name("NAME");
  app.add_option("--predict", flags->predict,
                 "Also predict each row on this cluster: a file, or a name in configs/clusters [no "
                 "prediction]")
      .type_name("CLUSTER");
  app.add_option("--nodes", flags->nodes,
                 "Number of nodes of the cluster of --predict [the cluster file's]")
      .type_name("N")
      .check(from(1));
  app.add_option("-w,--warmup", flags->repetition.warmup, "Warm-up iterations, not counted [1]")
      .type_name("N")
      .check(from(0));
  app.add_option("-n,--iterations", flags->repetition.iterations, "Timed iterations [20]")
      .type_name("N")
      .check(from(1));
  app.add_option("-c,--check", flags->check,
                 "Check every element of each result: 1 (yes) or 0 (no) [1]")
      .type_name("0|1")
      .check(in_range(0, 1));
  app.add_option("--threads", flags->threads, "Threads of the backend local [one per core]")
      .type_name("N")
      .check(from(1));
  app.add_option(
         "--gpus", flags->gpus,
         "Number of ranks [the workload's; else local: 8; mpi: as launched, or one per core]")
      .type_name("N")
      .check(in_range(1, kMostRanks));
  app.add_option("--ranks", flags->ranks,
                 "With --predict: ranks of that cluster that correspond to the live ranks, in "
                 "order: '0-7,16-23' [one node per host]")
      .type_name("LIST");
  app.add_option("--mode", flags->mode,
                 "Timing: isolated (a barrier before each iteration) or back_to_back (all "
                 "iterations without a pause, as nccl-tests) [isolated]")
      .type_name("MODE")
      .check(one_of({"isolated", "back_to_back"}));
  app.add_option("--place", flags->place,
                 "Buffer of the results: in (in place, the send buffer), out (another buffer) or "
                 "both (a row for each) [in; both with --format nccl-tests]")
      .type_name("PLACE")
      .check(one_of({"in", "out", "both"}));
  app.add_option("--timeout", flags->timeout,
                 "Time limit of a call or message, after which the run ends with an error; '0 s': "
                 "no limit [60 s]")
      .type_name("TIME");
  app.add_option("--segment", flags->segment,
                 "mpi: split messages into pieces of this size, so that reductions overlap with "
                 "transfers [1M]")
      .type_name("SIZE");
  app.add_option("--min-busbw", flags->min_busbw,
                 "Exit with code 1 if the best bus bandwidth is below this: '10 GB/s'")
      .type_name("RATE");
  app.add_option("--max-error", flags->max_error_pct,
                 "With --predict: error in per cent above which the column error_term shows which "
                 "part of the prediction deviates [20]")
      .type_name("PERCENT")
      .check(positive_number());
  app.add_flag("--range", flags->range,
               "With --predict: add range_pct, the 80 % range of predicted_us "
               "(docs/models/ranges.md) [without this flag: only if a part of the machine was not "
               "fitted]")
      .needs(app.option("--predict"));
  app.add_flag(
         "--accept", flags->accept,
         "Acceptance test: measure all_reduce, all_gather, reduce_scatter, broadcast and "
         "all_to_all instead of one collective. Exit with code 1 if a time exceeds its limit: "
         "the predicted time plus --max-error [the 80 % range of a fitted prediction, else "
         "20 per cent]")
      .needs(app.option("--predict"));
  app.add_option("--workload", flags->workload,
                 "local, mpi: run this workload instead of a collective: a file in Railyard's "
                 "JSON, with as many ranks as the run")
      .type_name("FILE");
  app.add_flag("--matrix", flags->matrix,
               "Measure the bandwidth of every pair of ranks instead of a collective, disjoint "
               "pairs concurrently. If pairs are slow, prints them and exits with 1");
  app.add_flag("--alone", flags->alone, "With --matrix: measure one pair after the other")
      .needs(app.option("--matrix"));
  app.add_option("--format", flags->format,
                 "Format of standard output: table, or nccl-tests [table]")
      .type_name("NAME")
      .check(one_of({"table", "nccl-tests"}));
  app.add_option("--in-flight", flags->in_flight,
                 "mpi: concurrent messages per sending rank; 1 makes an all_to_all pairwise [8]")
      .type_name("N")
      .check(from(1));
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
