#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/cli/flags.hpp"
namespace railyard::apps {

/// The cluster and the GPUs to use.
struct ClusterFlags {
  std::string cluster;
  std::optional<int> nodes;
  std::optional<int> gpus;
  std::string ranks;
};

/// The collective and its sizes.
struct CollectiveFlags {
  std::string collective = "all_reduce";
  std::string min_bytes, max_bytes, bytes;
  int factor = 2;
  std::string algorithm = "auto";
  std::string protocol = "auto";
  std::optional<int> channels;
  std::string type = "float32";
  std::string op = "sum";
  std::uint32_t root = 0;
  std::optional<std::uint64_t> seed;  ///< not set: from the cluster file
};

/// NCCL version and environment variables.
struct NcclFlags {
  std::vector<std::string> environment;  ///< "NCCL_ALGO=Ring"
  std::string version = "2.30";
  bool registered = false;  ///< buffers are symmetric windows
};

/// Routing and faults of the fabric.
struct FabricFlags {
  std::string routing;  ///< "": from the cluster file
  std::optional<int> qps;
  std::vector<std::string> failures, degradations;
};

/// The time model of collectives.
struct TimingFlags {
  std::string timing = "fitted";    ///< or "nominal"
  std::string harness = "process";  ///< name in configs/launch_modes, or "none"
};

/// Files for results; the table goes to standard output.
struct OutputFlags {
  std::string json, csv, trace;
};

/// `required`: --cluster is required.
void add_cluster_flags(FlagSet app, ClusterFlags& flags, bool required);
/// --collective, sizes, algorithm, protocol, channels and the other flags of CollectiveFlags.
void add_collective_flags(FlagSet app, CollectiveFlags& flags);
/// --nccl and --env.
void add_nccl_flags(FlagSet app, NcclFlags& flags);
/// --registered, for commands about single collectives.
void add_registered_flag(FlagSet app, NcclFlags& flags, const std::string& effect);
/// --routing, --qps and faults of the fabric.
void add_fabric_flags(FlagSet app, FabricFlags& flags);
/// --timing and the launch mode of the harness.
void add_timing_flags(FlagSet app, TimingFlags& flags);
/// The cluster as an argument (or --cluster) and --nodes: for commands about the cluster itself.
void add_whole_cluster_flags(FlagSet app, ClusterFlags& flags);
/// --json and --csv.
void add_output_flags(FlagSet app, OutputFlags& flags);
/// The same for results that are not rows of inputs and outputs; `what`: "the parameters".
void add_output_flags(FlagSet app, OutputFlags& flags, const std::string& what);
void add_trace_flag(FlagSet app, OutputFlags& flags);

}  // namespace railyard::apps
