#include "apps/cli/entry_error.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace railyard::apps {
namespace {

/// "--rank-order" as "rank_order".
std::string key_of(std::string_view flag) {
  std::string key(flag.substr(flag.find_first_not_of('-')));
  std::ranges::replace(key, '-', '_');
  return key;
}

void move_to(Diagnostic& problem, const std::string& entry,
             std::span<const std::string_view> keys) {
  if (!problem.pointer.starts_with("--")) {
    const bool is_absolute = problem.pointer.starts_with('/');
    const bool is_empty = problem.pointer.empty();
    problem.pointer = entry + (is_absolute || is_empty ? "" : "/") + problem.pointer;
    return;
  }
  const std::size_t space = problem.pointer.find(' ');
  const std::string key = key_of(std::string_view(problem.pointer).substr(0, space));
  if (!keys.empty() && std::ranges::find(keys, key) == keys.end()) return;
  if (space != std::string::npos)
    problem.message = problem.pointer.substr(space + 1) + ": " + problem.message;
  problem.pointer = entry + '/' + key;
}

}  // namespace

InputError at_entry(const InputError& error, const std::string& entry,
                    std::span<const std::string_view> keys) {
  std::vector<Diagnostic> problems;
  for (Diagnostic problem : error.diagnostics()) {
    if (problem.file.empty()) move_to(problem, entry, keys);
    problems.push_back(std::move(problem));
  }
  return InputError(std::move(problems));
}

}  // namespace railyard::apps
