#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the name of CLI11
class App;
}

namespace railyard::apps {

/// Completions of one command.
struct Completions {
  std::string command;  ///< "railyard topo show"
  struct Flag {
    std::string name;  ///< "--cluster", "-b"
    std::string help;  ///< first line
    bool takes_value = false;
    bool takes_file = false;
    std::string values{};   ///< valid values, separated by spaces; empty: unknown
    std::string configs{};  ///< kind of config whose names are valid values
  };
  std::vector<Flag> flags;
  struct Word {
    std::string name;
    std::string help;
  };
  std::vector<Word> words;  ///< subcommands
};

/// The commands below `root`, outermost first.
[[nodiscard]] std::vector<Completions> collect_completions(const CLI::App& root);

/// A completion script of railyard for a shell: bash, zsh or fish.
[[nodiscard]] std::string completion_script(std::string_view shell,
                                            const std::vector<Completions>& commands);

}  // namespace railyard::apps
