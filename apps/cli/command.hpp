#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/cli/context.hpp"
#include "apps/cli/flags.hpp"

namespace railyard::apps {

/// Runs a parsed subcommand and returns its exit code. Throws InputError, BackendError.
using RunCommand = std::function<int(Context&)>;

/// A subcommand of railyard. One folder each: apps/<name>/<name>_command.cpp.
struct Command {
  std::string_view name;
  std::string_view summary;  ///< one line
  /// Adds flags and help text to the subcommand's parser; returns the function that runs it.
  RunCommand (*add)(FlagSet app);
  /// Whether `railyard sweep` supports it: its result rows depend only on its inputs.
  bool can_be_swept = true;
  /// Expands a command line with lists, such as `--nodes 1,2`, and runs each of them with `run`.
  /// Returns nothing for a command line without lists. nullptr: the command does not support lists.
  std::optional<int> (*run_lists)(const std::vector<std::string>& words, Context& context,
                                  int (*run)(const std::vector<std::string>& words,
                                             Context& context)) = nullptr;
};

/// All subcommands, in the order of --help.
[[nodiscard]] std::span<const Command> commands();

}  // namespace railyard::apps
