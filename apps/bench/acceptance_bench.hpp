#pragma once

#include "apps/bench/bench_flags.hpp"
#include "apps/bench/bench_request.hpp"
#include "apps/bench/bench_setting.hpp"
#include "apps/cli/context.hpp"
#include "apps/output/rows.hpp"
#include "hw/live_backend.hpp"

namespace railyard::apps {

/// Measures five collectives at the sizes of the request and compares them with their predictions
/// (kind "acceptance"). All processes call it; returns the exit code at process 0: 1 if a row is
/// not accepted. Throws InputError, BackendError.
[[nodiscard]] int bench_acceptance(const BenchFlags& flags, const BenchRequest& request,
                                   hw::LiveBackend& backend, BenchSetting& setting,
                                   Provenance provenance, Context& context);

}  // namespace railyard::apps
