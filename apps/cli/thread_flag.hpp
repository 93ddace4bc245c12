#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "apps/cli/context.hpp"

namespace CLI {
class App;
}

namespace railyard::apps {

/// --threads N; 0, where it is not given, is one per core.
void add_threads_flag(CLI::App& app, int& threads);

/// How many of `runs` simulations, each of about so many bytes, to run at the same time: at most
/// `threads` (0: one per core), and no more than half of the available memory holds.
[[nodiscard]] int runs_at_once(int threads, std::size_t runs, std::uint64_t bytes_each);

/// The command line for provenance, without --threads: results are the same for any number.
[[nodiscard]] std::string command_without_threads(const Context& context);

}  // namespace railyard::apps
