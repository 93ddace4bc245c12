#pragma once

#include "apps/bench/bench_flags.hpp"
#include "apps/bench/bench_setting.hpp"
#include "apps/cli/context.hpp"
#include "apps/output/rows.hpp"
#include "hw/live_backend.hpp"

namespace railyard::apps {

/// Measures the bandwidth of every pair of ranks with messages of `bytes` and writes the result
/// (kind "matrix"). All processes call it; returns the exit code at process 0: 1 if pairs are slow.
/// Throws InputError, BackendError.
[[nodiscard]] int bench_pairs(const BenchFlags& flags, hw::LiveBackend& backend,
                              BenchSetting& setting, Bytes bytes, const Provenance& provenance,
                              Context& context);

}  // namespace railyard::apps
