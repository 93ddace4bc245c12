#include "apps/cli/flag_groups.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <CLI/Validators.hpp>
#include <fmt/format.h>

namespace railyard::apps {
namespace {

CLI::Validator at_least(int least) {
  return {[least](const std::string& text) -> std::string {
            long long value = 0;
            if (CLI::detail::lexical_cast(text, value) && value >= least) return {};
            return fmt::format("'{}' is not a whole number from {} on", text, least);
          },
          "", ""};
}

}  // namespace

void add_cluster_flags(CLI::App& app, ClusterFlags& flags, bool required) {
  const char* group = "Cluster";
  auto* cluster = app.add_option("--cluster", flags.cluster,
                                 "cluster file, or the name of a shipped one (configs/clusters)");
  cluster->type_name("FILE")->group(group);
  if (required) cluster->required();
  app.add_option("--nodes", flags.nodes, "number of nodes, instead of the file's")
      ->type_name("N")
      ->check(at_least(1))
      ->group(group);
  auto* gpus = app.add_option("--gpus", flags.gpus, "the first N ranks take part, instead of all");
  gpus->type_name("N")->check(at_least(1))->group(group);
  app.add_option("--ranks", flags.ranks,
                 "the ranks that take part, in this order: '0-7,16-23', or every eighth: '0-63:8'")
      ->type_name("LIST")
      ->excludes(gpus)
      ->group(group);
}

void add_whole_cluster_flags(CLI::App& app, ClusterFlags& flags) {
  app.add_option("cluster,--cluster", flags.cluster, "cluster file, or the name of a shipped one")
      ->required()
      ->type_name("FILE");
  app.add_option("--nodes", flags.nodes, "number of nodes, instead of the file's")->type_name("N");
}

void add_collective_flags(CLI::App& app, CollectiveFlags& flags) {
  const char* group = "Collective";
  app.add_option(
         "--collective", flags.collective,
         "all_reduce, all_gather, reduce_scatter, broadcast, reduce, all_to_all or send_recv")
      ->type_name("KIND")
      ->capture_default_str()
      ->group(group);
  app.add_option("-b,--min-bytes", flags.min_bytes,
                 "first size: 8, 4K, 512M, 8G (powers of two) [1M]")
      ->type_name("SIZE")
      ->group(group);
  app.add_option("-e,--max-bytes", flags.max_bytes, "last size [1G]")
      ->type_name("SIZE")
      ->group(group);
  app.add_option("-f,--factor", flags.factor, "from one size to the next")
      ->type_name("N")
      ->check(at_least(2))
      ->capture_default_str()
      ->group(group);
  auto* bytes = app.add_option("--bytes", flags.bytes, "one size, instead of a range");
  bytes->type_name("SIZE")->group(group);
  bytes->excludes(app.get_option("--min-bytes"))->excludes(app.get_option("--max-bytes"));
  app.add_option("--algorithm", flags.algorithm, "auto is NCCL's own choice; others by name")
      ->type_name("NAME")
      ->capture_default_str()
      ->group(group);
  app.add_option("--protocol", flags.protocol, "ll, ll128, simple or auto")
      ->type_name("NAME")
      ->capture_default_str()
      ->group(group);
  app.add_option("--channels", flags.channels, "instead of what the algorithm takes by itself")
      ->type_name("N")
      ->check(at_least(1))
      ->group(group);
  app.add_option("-d,--type", flags.type,
                 "int8, uint8, int32, uint32, int64, uint64, float16 (half), bfloat16 (bf16), "
                 "float32 (float) or "
                 "float64 (double)")
      ->type_name("TYPE")
      ->capture_default_str()
      ->group(group);
  app.add_option("-o,--op", flags.op, "sum, prod, min, max or avg")
      ->type_name("OP")
      ->capture_default_str()
      ->group(group);
  app.add_option("-r,--root", flags.root, "of broadcast and reduce, a position in the group")
      ->type_name("N")
      ->capture_default_str()
      ->group(group);
  app.add_option("--seed", flags.seed, "of everything that is drawn by chance (hashes)")
      ->type_name("N")
      ->capture_default_str()
      ->group(group);
}

void add_nccl_flags(CLI::App& app, NcclFlags& flags) {
  const char* group = "NCCL";
  app.add_option("--env", flags.environment,
                 "an NCCL variable, as NCCL_ALGO=Ring (repeatable); docs/COMMANDS.md lists those "
                 "with an effect")
      ->type_name("NAME=VALUE")
      ->take_all()
      ->group(group);
  app.add_option(
         "--nccl", flags.version,
         "NCCL release whose search and tuning are modelled: 2.28 (2.28.9) or 2.30 (2.30.7)")
      ->type_name("VERSION")
      ->check(CLI::IsMember({"2.28", "2.30"}))
      ->capture_default_str()
      ->group(group);
}

void add_fabric_flags(CLI::App& app, FabricFlags& flags) {
  const char* group = "Fabric";
  app.add_option("--routing", flags.routing,
                 "rail, ecmp, balanced, adaptive or spray, instead of the cluster file's")
      ->type_name("POLICY")
      ->group(group);
  app.add_option("--qps", flags.qps, "queue pairs per connection, each with an equal part")
      ->type_name("N")
      ->check(at_least(1))
      ->group(group);
  app.add_option("--fail", flags.failures,
                 "links that fail: 'pod0/leaf1 -- pod0/spine2', 'node3/nic1@2ms' (repeatable)")
      ->type_name("LINK[@TIME]")
      ->take_all()
      ->group(group);
  app.add_option("--degrade", flags.degradations,
                 "links at a part of their bandwidth: 'node3/nic1:0.5@1ms' (repeatable)")
      ->type_name("LINK:PART[@TIME]")
      ->take_all()
      ->group(group);
}

void add_timing_flags(CLI::App& app, TimingFlags& flags) {
  const char* group = "Timing";
  app.add_option(
         "--timing", flags.timing,
         "fitted: NCCL's ways by its time model, fitted to measurements; nominal: links and "
         "overheads alone")
      ->type_name("NAME")
      ->capture_default_str()
      ->group(group);
  app.add_option("--harness", flags.harness,
                 "the benchmark that a fitted time is to be read beside: process (one a GPU), "
                 "threads (one a GPU), one_thread (for all GPUs), graph or none")
      ->type_name("NAME")
      ->capture_default_str()
      ->group(group);
}

void add_output_flags(CLI::App& app, OutputFlags& flags) {
  const char* group = "Output";
  app.add_option("--json", flags.json, "write rows and provenance as JSON; - is standard output")
      ->type_name("FILE")
      ->group(group);
  app.add_option("--csv", flags.csv, "write rows as CSV; - is standard output")
      ->type_name("FILE")
      ->group(group);
}

void add_trace_flag(CLI::App& app, OutputFlags& flags) {
  app.add_option("--trace", flags.trace,
                 "write what happened when, for ui.perfetto.dev (Chrome trace JSON)")
      ->type_name("FILE")
      ->group("Output");
}

}  // namespace railyard::apps
