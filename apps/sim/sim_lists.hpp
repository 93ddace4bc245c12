#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/cli/context.hpp"

namespace railyard::apps {

/// The command lines of `railyard sim --nodes 1,2,4 --routing ecmp,spray`: one for each combination
/// of the values, those of the first flag outermost. Only flags that rows have a column for take
/// lists. One command line where no value is a list. Throws InputError for an empty value.
[[nodiscard]] std::vector<std::vector<std::string>> command_lines_of_lists(
    const std::vector<std::string>& words);

/// Runs `railyard sim` with lists of values, each combination by `run`: all rows as one result.
/// Nothing without a list. Throws InputError for a file of a single run
/// (--trace).
[[nodiscard]] std::optional<int> run_sim_lists(const std::vector<std::string>& words,
                                               Context& context,
                                               int (*run)(const std::vector<std::string>& words,
                                                          Context& context));

}  // namespace railyard::apps
