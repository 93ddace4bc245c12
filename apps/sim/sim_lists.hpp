#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/cli/context.hpp"

namespace railyard::apps {

/// The command lines of `railyard sim --nodes 1,2,4 --routing ecmp,spray`: one for each combination
/// of the values; the first flag varies slowest. Only flags with a column in the rows support
/// lists. One command line if no value is a list. Throws InputError for an empty value.
[[nodiscard]] std::vector<std::vector<std::string>> command_lines_of_lists(
    const std::vector<std::string>& words);

/// Runs `railyard sim` with lists of values, each combination by `run`, and writes all rows as one
/// result. Empty without a list. Throws InputError for a flag whose file describes a single run
/// (--trace).
[[nodiscard]] std::optional<int> run_sim_lists(const std::vector<std::string>& words,
                                               Context& context,
                                               int (*run)(const std::vector<std::string>& words,
                                                          Context& context));

}  // namespace railyard::apps
