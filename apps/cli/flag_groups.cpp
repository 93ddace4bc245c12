#include "apps/cli/flag_groups.hpp"

#include <fmt/format.h>

#include <tuple>

namespace railyard::apps {
namespace {

/// Largest NCCL_IB_QPS_PER_CONNECTION (NCCL's transport/net_ib).
constexpr int kMostQps = 128;
/// NCCL has at most 64 (MAXCHANNELS); other schedules may have more.
constexpr int kMostChannels = 1024;

}  // namespace

void add_cluster_flags(FlagSet app, ClusterFlags& flags, bool required) {
  app = app.under("Cluster");
  const Flag cluster = app.add_option(
      "--cluster", flags.cluster, "Cluster file, or the name of a shipped one (configs/clusters)");
  cluster.type_name("FILE");
  if (required) cluster.required();
  app.add_option("--nodes", flags.nodes, "Number of nodes [the cluster file's]")
      .type_name("N")
      .check(at_least(1));
  const Flag gpus = app.add_option("--gpus", flags.gpus, "Use only the first N ranks [all]");
  gpus.type_name("N").check(at_least(1));
  app.add_option("--ranks", flags.ranks,
                 "Use these ranks, in this order: '0-7,16-23', or every eighth: '0-63:8' [all]")
      .type_name("LIST")
      .excludes(gpus);
}

void add_whole_cluster_flags(FlagSet app, ClusterFlags& flags) {
  app.add_option("cluster,--cluster", flags.cluster,
                 "Cluster file, or the name of a shipped one (configs/clusters). Give it either as "
                 "an argument or with --cluster")
      .required()
      .type_name("FILE");
  app.add_option("--nodes", flags.nodes, "Number of nodes [the cluster file's]").type_name("N");
}

void add_collective_flags(FlagSet app, CollectiveFlags& flags) {
  app = app.under("Collective");
  app.add_option("--collective", flags.collective,
                 "Kind of collective: all_reduce, all_gather, reduce_scatter, broadcast, reduce, "
                 "all_to_all or send_recv [all_reduce]")
      .type_name("KIND");
  app.add_option("-b,--min-bytes", flags.min_bytes,
                 "Smallest size: 8, 4K, 512M, 8G; K, M and G are powers of 1,024 [1M]")
      .type_name("SIZE");
  app.add_option("-e,--max-bytes", flags.max_bytes, "Largest size [1G]").type_name("SIZE");
  app.add_option("-f,--factor", flags.factor, "Factor between consecutive sizes [2]")
      .type_name("N")
      .check(at_least(2));
  const Flag bytes = app.add_option(
      "--bytes", flags.bytes,
      "One size or a list of sizes: 64M, or 1K,1M,1G [a series from --min-bytes to --max-bytes]");
  bytes.type_name("SIZE");
  bytes.excludes(app.option("--min-bytes")).excludes(app.option("--max-bytes"));
  app.add_option("--algorithm", flags.algorithm,
                 "Algorithm: auto (NCCL's choice; without NCCL the fastest by link rates), ring, "
                 "tree, collnet_direct, collnet_chain, nvls, nvls_tree, pat, halving_doubling or "
                 "hierarchical; for all_to_all rail_pxn, direct, rail_direct or hierarchical; for "
                 "send_recv neighbour; bench also: native [auto]")
      .type_name("NAME");
  app.add_option("--protocol", flags.protocol, "NCCL protocol: auto, ll, ll128 or simple [auto]")
      .type_name("NAME");
  app.add_option("--channels", flags.channels, "Number of channels [NCCL's or the algorithm's own]")
      .type_name("N")
      .check(in_range(1, kMostChannels));
  app.add_option("-d,--type", flags.type,
                 "Data type: int8, uint8, int32, uint32, int64, uint64, float8_e4m3 (f8e4m3), "
                 "float8_e5m2 (f8e5m2), float16 (half, fp16), bfloat16 (bf16), float32 (float, "
                 "fp32) or float64 (double, fp64) [float32]")
      .type_name("TYPE");
  app.add_option("-o,--op", flags.op, "Reduction: sum, prod, min, max or avg [sum]")
      .type_name("OP");
  app.add_option("-r,--root", flags.root,
                 "broadcast, reduce: root, as a position in the list of ranks [0]")
      .type_name("N");
  app.add_option("--seed", flags.seed,
                 "Random seed for ECMP hashing and port choice, below 2^63 [the cluster file's, or "
                 "1]")
      .type_name("N");
}

void add_nccl_flags(FlagSet app, NcclFlags& flags) {
  app = app.under("NCCL");
  app.add_option("--env", flags.environment,
                 "Set an NCCL variable: NCCL_ALGO=Ring (repeatable); docs/COMMANDS.md lists the "
                 "variables that have an effect")
      .type_name("NAME=VALUE")
      .take_all();
  app.add_option("--nccl", flags.version,
                 "NCCL release to model: 2.28 (2.28.9), 2.30 (2.30.7) or 2.32 (2.32.6). For "
                 "another release the nearest of these is used, with a note [2.30]")
      .type_name("VERSION");
}

void add_registered_flag(FlagSet app, NcclFlags& flags, const std::string& effect) {
  app.add_flag("--registered", flags.registered,
               "Buffers are registered as symmetric windows: " + effect + " (requires --nccl 2.32)")
      .group("NCCL");
}

void add_fabric_flags(FlagSet app, FabricFlags& flags) {
  app = app.under("Fabric");
  app.add_option("--routing", flags.routing,
                 "Routing policy: rail, ecmp, balanced, adaptive or spray [the cluster file's; "
                 "else ecmp on RoCE and TCP, rail on InfiniBand and dual-plane fabrics]")
      .type_name("POLICY");
  app.add_option("--qps", flags.qps,
                 "Queue pairs per connection, with equal shares of the data, 1 to 128 [the cluster "
                 "file's; else 1, on dual-plane fabrics 2]")
      .type_name("N")
      .check(in_range(1, kMostQps));
  app.add_option("--fail", flags.failures,
                 "Fail a link, or all links of a device, from the start or at a time: 'pod0/leaf1 "
                 "-- pod0/spine2@2ms', 'pod0/spine2', 'node3/nic1'; packet: until a second time, "
                 "'pod0/spine2@2ms..5ms' (repeatable)")
      .type_name("LINK[@TIME]")
      .take_all();
  app.add_option("--degrade", flags.degradations,
                 "Reduce a link, or all links of a device, to a part of its bandwidth, from the "
                 "start or at a time: 'node3/nic1:0.5', 'node3/nic1:0.5@1ms' (repeatable)")
      .type_name("LINK:PART[@TIME]")
      .take_all();
}

void add_timing_flags(FlagSet app, TimingFlags& flags) {
  app = app.under("Timing");
  app.add_option("--timing", flags.timing,
                 "Time model of NCCL algorithms: fitted (to measurements) or nominal (link rates "
                 "and overheads only) [fitted]")
      .type_name("NAME");
  app.add_option("--harness", flags.harness,
                 "Launch mode that fitted times assume: process (one per GPU), threads (one per "
                 "GPU), one_thread (drives all GPUs), graph (CUDA graph) or none [process]")
      .type_name("NAME");
}

void add_output_flags(FlagSet app, OutputFlags& flags) {
  app = app.under("Output");
  app.add_option("--json", flags.json,
                 "Write all columns as JSON, with the command and digests of its inputs; - is "
                 "standard output")
      .type_name("FILE");
  app.add_option("--csv", flags.csv, "Write all columns as CSV; - is standard output")
      .type_name("FILE");
}

void add_output_flags(FlagSet app, OutputFlags& flags, const std::string& what) {
  for (const auto& [flag, format, file] :
       {std::tuple{"--json", "JSON", &flags.json}, std::tuple{"--csv", "CSV", &flags.csv}})
    app.add_option(flag, *file, fmt::format("Write {} as {} ('-': standard output)", what, format))
        .type_name("FILE");
}

void add_trace_flag(FlagSet app, OutputFlags& flags) {
  app.add_option("--trace", flags.trace, "Write a timeline for ui.perfetto.dev (Chrome trace JSON)")
      .type_name("FILE")
      .group("Output");
}

}  // namespace railyard::apps
