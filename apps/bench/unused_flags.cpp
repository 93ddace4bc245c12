#include "apps/bench/unused_flags.hpp"

#include <fmt/format.h>

#include "apps/cli/refused_flags.hpp"
#include "core/diagnostic.hpp"

namespace railyard::apps {
namespace {

/// Adds a problem for each flag that only other backends support.
void refuse_for_backend(const BenchFlags& flags, std::string_view backend, Diagnostics& problems) {
  const auto only = [&](const char* its, std::initializer_list<GivenFlag> of_backend) {
    if (backend != its)
      refuse(of_backend, fmt::format("applies to the backend {} only", its),
             fmt::format("--backend {}, or leave it out", its), problems);
  };
  only("nccl", {{!flags.gpu.libraries.empty(), "--libraries"},
                {!flags.environment.empty(), "--env"},
                {flags.clock != BenchFlags().clock, "--clock"},
                {flags.gpu.graph, "--graph"},
                {flags.gpu.registered, "--registered"},
                {flags.gpu.share, "--share-gpus"},
                {flags.gpu.log, "--nccl-log"}});
  only("mpi",
       {{!flags.segment.empty(), "--segment"}, {flags.in_flight.has_value(), "--in-flight"}});
  only("local", {{flags.threads != 0, "--threads"}});
}

void refuse_for_prediction(const BenchFlags& flags, std::string_view backend,
                           Diagnostics& problems) {
  const GivenFlag timing{flags.timing.timing != TimingFlags().timing, "--timing"},
      harness{flags.timing.harness != TimingFlags().harness, "--harness"};
  if (flags.predict.empty())
    refuse({timing,
            harness,
            {flags.nodes.has_value(), "--nodes"},
            {flags.max_error_pct.has_value(), "--max-error"}},
           "applies to a prediction", "--predict CLUSTER", problems);
  else if (backend == "mpi")
    refuse({timing, harness}, "predictions for mpi use link rates and overheads only",
           "leave it out", problems);
}

/// Adds a problem for each flag that an acceptance test does not use.
void refuse_for_acceptance(const BenchFlags& flags, Diagnostics& problems) {
  if (!flags.accept) return;
  const CollectiveFlags& collective = flags.collective;
  const CollectiveFlags own;
  refuse({{collective.collective != own.collective, "--collective"},
          {collective.op != own.op, "--op"},
          {collective.root != own.root, "--root"},
          {flags.format != BenchFlags().format, "--format"},
          {!flags.min_busbw.empty(), "--min-busbw"},
          {!flags.workload.empty(), "--workload"},
          {flags.matrix, "--matrix"},
          {!flags.output.trace.empty(), "--trace"}},
         "--accept measures five collectives and compares them with --predict", "leave it out",
         problems);
}

/// Adds a problem for each flag of a single collective, with --matrix or --workload.
void refuse_for_others(const BenchFlags& flags, Diagnostics& problems) {
  const bool is_workload = !flags.workload.empty();
  if (!flags.matrix && !is_workload) return;
  const CollectiveFlags& collective = flags.collective;
  const CollectiveFlags own;
  const char* const why = is_workload
                              ? "applies to collectives, but --workload runs a workload"
                              : "applies to collectives, but --matrix measures pairs of ranks";
  const char* const hint = "leave it out";
  refuse({{collective.collective != own.collective, "--collective"},
          {collective.algorithm != own.algorithm, "--algorithm"},
          {collective.protocol != own.protocol, "--protocol"},
          {collective.channels.has_value(), "--channels"},
          {collective.op != own.op, "--op"},
          {collective.root != own.root, "--root"},
          {!flags.place.empty(), "--place"},
          {flags.format != BenchFlags().format, "--format"},
          {!flags.min_busbw.empty(), "--min-busbw"}},
         why, hint, problems);
  if (!is_workload)
    refuse({{!flags.predict.empty(), "--predict"}, {!flags.output.trace.empty(), "--trace"}}, why,
           hint, problems);
  else
    refuse({{flags.matrix, "--matrix"},
            {collective.type != own.type, "--type"},
            {!collective.min_bytes.empty(), "--min-bytes"},
            {!collective.max_bytes.empty(), "--max-bytes"},
            {!collective.bytes.empty(), "--bytes"},
            {collective.factor != own.factor, "--factor"},
            {flags.max_error_pct.has_value(), "--max-error"},
            {flags.range, "--range"}},
           why, hint, problems);
}

}  // namespace

void refuse_unused(const BenchFlags& flags, std::string_view backend) {
  Diagnostics problems("");
  refuse_for_backend(flags, backend, problems);
  refuse_for_prediction(flags, backend, problems);
  refuse_for_acceptance(flags, problems);
  if (!flags.accept) refuse_for_others(flags, problems);
  problems.throw_if_any();
}

}  // namespace railyard::apps
