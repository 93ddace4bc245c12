#include "apps/bench/unused_flags.hpp"

#include <fmt/format.h>

#include "core/diagnostic.hpp"

namespace railyard::apps {
namespace {

/// Flags of other backends.
void refuse_for_backend(const BenchFlags& flags, std::string_view backend, Diagnostics& problems) {
  const auto refuse = [&](bool given, const char* flag, const char* only) {
    if (given && backend != only)
      problems.add(flag, fmt::format("applies to the backend {} only", only),
                   fmt::format("--backend {}, or leave it out", only));
  };
  refuse(!flags.gpu.libraries.empty(), "--libraries", "nccl");
  refuse(!flags.environment.empty(), "--env", "nccl");
  refuse(flags.clock != BenchFlags().clock, "--clock", "nccl");
  refuse(flags.gpu.graph, "--graph", "nccl");
  refuse(flags.gpu.registered, "--registered", "nccl");
  refuse(flags.gpu.share, "--share-gpus", "nccl");
  refuse(flags.gpu.log, "--nccl-log", "nccl");
  refuse(!flags.segment.empty(), "--segment", "mpi");
  refuse(flags.in_flight.has_value(), "--in-flight", "mpi");
  refuse(flags.threads != 0, "--threads", "local");
}

void refuse_for_prediction(const BenchFlags& flags, std::string_view backend,
                           Diagnostics& problems) {
  const bool is_timed = flags.timing.timing != TimingFlags().timing,
             is_launched = flags.timing.harness != TimingFlags().harness;
  if (!flags.predict.empty() && backend != "mpi") return;
  const auto refuse = [&](bool given, const char* flag) {
    if (!given) return;
    if (flags.predict.empty())
      problems.add(flag, "applies to a prediction", "--predict CLUSTER");
    else
      problems.add(flag, "predictions for mpi use link rates and overheads only", "leave it out");
  };
  refuse(is_timed, "--timing");
  refuse(is_launched, "--harness");
  if (!flags.predict.empty()) return;
  refuse(flags.nodes.has_value(), "--nodes");
  refuse(flags.max_error_pct.has_value(), "--max-error");
}

/// Flags of a single collective, beside --matrix and --workload, which run something else.
void refuse_for_others(const BenchFlags& flags, Diagnostics& problems) {
  const bool is_workload = !flags.workload.empty();
  if (!flags.matrix && !is_workload) return;
  const CollectiveFlags& collective = flags.collective;
  const CollectiveFlags own;
  const auto refuse = [&](bool given, const char* flag) {
    if (given)
      problems.add(flag,
                   is_workload ? "applies to collectives, but --workload runs a workload"
                               : "applies to collectives, but --matrix measures pairs of ranks",
                   "leave it out");
  };
  refuse(collective.collective != own.collective, "--collective");
  refuse(collective.algorithm != own.algorithm, "--algorithm");
  refuse(collective.protocol != own.protocol, "--protocol");
  refuse(collective.channels.has_value(), "--channels");
  refuse(collective.op != own.op, "--op");
  refuse(collective.root != own.root, "--root");
  refuse(!flags.place.empty(), "--place");
  refuse(flags.format != BenchFlags().format, "--format");
  refuse(!flags.min_busbw.empty(), "--min-busbw");
  if (!is_workload) {
    refuse(!flags.predict.empty(), "--predict");
    refuse(!flags.output.trace.empty(), "--trace");
    return;
  }
  refuse(flags.matrix, "--matrix");
  refuse(collective.type != own.type, "--type");
  refuse(!collective.min_bytes.empty(), "--min-bytes");
  refuse(!collective.max_bytes.empty(), "--max-bytes");
  refuse(!collective.bytes.empty(), "--bytes");
  refuse(collective.factor != own.factor, "--factor");
  refuse(flags.max_error_pct.has_value(), "--max-error");
  refuse(flags.range, "--range");
}

}  // namespace

void refuse_unused(const BenchFlags& flags, std::string_view backend) {
  Diagnostics problems("");
  refuse_for_backend(flags, backend, problems);
  refuse_for_prediction(flags, backend, problems);
  refuse_for_others(flags, problems);
  problems.throw_if_any();
}

}  // namespace railyard::apps
