#pragma once

#include "apps/bench/bench_flags.hpp"
#include "apps/bench/bench_setting.hpp"
#include "apps/cli/context.hpp"
#include "apps/output/rows.hpp"
#include "collectives/workload/workload.hpp"
#include "hw/live_backend.hpp"

namespace railyard::apps {

/// Reads the file of --workload, and checks it. Throws InputError.
[[nodiscard]] collectives::Workload workload_of(const BenchFlags& flags);

/// Runs the workload of --workload on the live ranks and writes the result (kind "workload_bench"):
/// its time and that of each kind of operation, with the predicted times. All processes must call
/// it; the exit code is valid at process 0. Throws InputError, BackendError.
[[nodiscard]] int bench_workload(const BenchFlags& flags, hw::LiveBackend& backend,
                                 BenchSetting& setting, const Provenance& provenance,
                                 Context& context);

}  // namespace railyard::apps
