#pragma once

#include <optional>
#include <string_view>

#include "apps/bench/bench_flags.hpp"
#include "apps/cli/context.hpp"
#include "hw/live_backend.hpp"

namespace railyard::apps {

/// The backend of that name; nullptr: this program does not have it.
[[nodiscard]] const hw::BackendEntry* find_backend(const Context& context, std::string_view name);

/// Runs the command with railyard-cluster if this program does not have the backend, or for mpi if
/// no launcher started it, and returns the exit code; else returns nothing. Throws InputError for
/// an unknown backend, BackendError if railyard-cluster does not have it.
[[nodiscard]] std::optional<int> run_elsewhere(const BenchFlags& flags, std::string_view name,
                                               const Context& context);

/// What the flags ask of a backend. Throws InputError. The context must outlive the result.
[[nodiscard]] hw::LiveOptions live_options(const BenchFlags& flags, std::string_view name,
                                           Context& context);

/// Sets the variables of --env. NCCL reads them once, at its start.
void set_environment(const BenchFlags& flags);

}  // namespace railyard::apps
