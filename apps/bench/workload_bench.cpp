#include "apps/bench/workload_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>

#include "apps/bench/workload_rows.hpp"
#include "apps/output/add_config.hpp"
#include "apps/output/result_output.hpp"
#include "collectives/workload/full_rates.hpp"
#include "collectives/workload/workload_json.hpp"
#include "core/config/text_file.hpp"
#include "core/diagnostic.hpp"
#include "hw/live_measure.hpp"
#include "hw/time_statistics.hpp"
#include "hw/workload/live_workload.hpp"
#include "hw/world/agreement.hpp"

namespace railyard::apps {
namespace {

using collectives::Workload;
using collectives::WorkloadRun;

void check_backend(const BenchFlags& flags, hw::LiveBackend& backend, const Workload& workload) {
  if (const std::string why = backend.why_no_workloads(); !why.empty())
    throw InputError("", "--workload",
                     fmt::format("the backend {} does not support this: {}", backend.name(), why));
  if (workload.ranks() != backend.ranks())
    throw InputError(
        flags.workload, "",
        fmt::format("the workload has {} ranks, but the run has {}", workload.ranks(),
                    backend.ranks()),
        fmt::format("use --gpus {}, or start as many ranks with the launcher", workload.ranks()));
}

WorkloadRow row_of(const BenchFlags& flags, const hw::LiveBackend& backend,
                   const hw::Measured& measured, std::uint64_t seed,
                   const std::optional<WorkloadRun>& predicted) {
  WorkloadRow row{.workload = flags.workload,
                  .backend = std::string(backend.name()),
                  .ranks = backend.ranks(),
                  .seed = seed,
                  .least = std::ranges::min(measured.times),
                  .p50 = hw::quantile(measured.times, 0.5),
                  .p99 = hw::quantile(measured.times, 0.99),
                  .skew = hw::quantile(measured.skews, 0.5),
                  .wrong = measured.check.wrong};
  if (predicted) row.predicted = predicted->total;
  return row;
}

}  // namespace

Workload workload_of(const BenchFlags& flags) {
  return collectives::read_workload(core::read_text_file(flags.workload), flags.workload);
}

int bench_workload(const BenchFlags& flags, hw::LiveBackend& backend, BenchSetting& setting,
                   const Provenance& provenance, Context& context) {
  std::optional<Workload> asked, workload;
  std::optional<hw::LiveLoads> loads;
  std::optional<WorkloadRun> predicted;
  hw::set_up_together(backend.world(), [&] {
    asked.emplace(workload_of(flags));
    check_backend(flags, backend, *asked);
    workload.emplace(collectives::with_full_rates(*asked));
    loads.emplace(*workload, setting.cluster(), setting.group()->ranks(), setting.schedules());
    if (backend.world().process() == 0) predicted = setting.predicted(*workload);
  });
  hw::LiveWorkload live(*loads, backend, setting.seed());
  const hw::Measured measured = hw::measure(backend, live, flags.repetition);
  const std::optional<WorkloadRun> run = live.last_run();
  if (!run) return ExitCode::done;
  ResultDocument document{.kind = "workload_bench", .provenance = provenance, .rows = {}};
  add_config(document.provenance, flags.workload, flags.workload, Bytes(std::int64_t{1} << 30));
  const WorkloadRow row = row_of(flags, backend, measured, setting.seed(), predicted);
  document.rows = tabulate_workload({&row, 1});
  document.sections = {{"operations", tabulate_kinds(*workload, *run, predicted)}};
  if (collectives::has_shares(*asked)) {
    document.provenance.notes.emplace_back(
        "rate_share and compute_share of the workload describe kernels on GPUs: neither the run "
        "nor the prediction uses them");
    print_note(context, document.provenance.notes.back());
  }
  write_result(document, flags.output, context);
  write_timeline(trace_events(*workload, *run), trace_arrows(*workload, *run), flags.output,
                 context);
  for (const std::string& text : backend.notes()) print_note(context, text);
  if (measured.check.wrong == 0) return ExitCode::done;
  print_error(context, fmt::format("{}: {} wrong elements; {}", flags.workload,
                                   measured.check.wrong, measured.check.first_wrong));
  return ExitCode::finding;
}

}  // namespace railyard::apps
