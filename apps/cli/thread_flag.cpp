#include "apps/cli/thread_flag.hpp"

#include <algorithm>
#include <vector>

#include "apps/cli/shell_words.hpp"
#include "core/available_memory.hpp"
#include "core/parallel.hpp"

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

int runs_at_once(int threads, std::size_t runs, std::uint64_t bytes_each) {
  const auto most = static_cast<std::uint64_t>(core::thread_count(threads));
  const std::uint64_t fit = core::available_memory() / 2 / std::max<std::uint64_t>(bytes_each, 1);
  return static_cast<int>(std::max<std::uint64_t>(1, std::min({most, std::uint64_t{runs}, fit})));
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
