#include "apps/cli/thread_flag.hpp"

#include <vector>

#include "apps/cli/shell_words.hpp"

namespace railyard::apps {
namespace {
// More than any machine has cores; idle threads need memory too.
constexpr int kMostThreads = 4096;
}  // namespace

void add_threads_flag(FlagSet app, int& threads) {
  app.add_option("--threads", threads,
                 "Number of threads; results do not depend on it [one per core]")
      .type_name("N")
      .check(in_range(1, kMostThreads))
      .group("Simulation");
}

std::string command_without_threads(const Context& context) {
  constexpr std::string_view kFlag = "--threads";
  std::vector<std::string> words;
  for (std::size_t i = 0; i < context.arguments.size(); ++i) {
    const std::string& word = context.arguments[i];
    if (word == kFlag) {
      ++i;  // and its value
    } else if (!word.starts_with(std::string(kFlag) + "=")) {
      words.push_back(word);
    }
  }
  return context.command.substr(0, context.command.find(' ')) + shell_words(words);
}

}  // namespace railyard::apps
