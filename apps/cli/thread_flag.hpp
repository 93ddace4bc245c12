#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "apps/cli/context.hpp"
#include "apps/cli/flags.hpp"

namespace railyard::apps {

/// Adds --threads N; 0, the default, is one per core.
void add_threads_flag(FlagSet app, int& threads);

/// The number of concurrent simulations, of `runs` with `bytes_each` bytes of memory each: at most
/// `threads` (0: one per core), and at most as many as fit into half of the available memory.
[[nodiscard]] int runs_at_once(int threads, std::size_t runs, std::uint64_t bytes_each);

/// The command line for provenance, without --threads: results are the same for any number.
[[nodiscard]] std::string command_without_threads(const Context& context);

}  // namespace railyard::apps
