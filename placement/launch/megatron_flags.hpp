#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostic.hpp"

namespace railyard::placement {

/// Flags of a Megatron-LM command line that say how a job is parallelised, with their values and
/// lines; problems are collected in `problems`.
class MegatronFlags {
 public:
  MegatronFlags(std::string_view text, Diagnostics& problems);

  [[nodiscard]] bool has(std::string_view flag) const { return values_.contains(flag); }
  /// Its values; empty where it is not there.
  [[nodiscard]] std::vector<std::string> words(std::string_view flag) const;
  [[nodiscard]] std::string word(std::string_view flag) const;
  /// Its value as a whole number of at least `least` and at most 2^24 (of stages and layers 4096);
  /// anything else is a problem.
  [[nodiscard]] int number(std::string_view flag, int otherwise, int least = 1);
  /// "line 3: --flag message".
  void add_problem(std::string_view flag, const std::string& message, const std::string& hint = {});
  /// Flags that Megatron refuses beside each other, or without another.
  void check_combinations();

  /// Flags that say nothing about parallelism, in order.
  [[nodiscard]] const std::vector<std::string>& ignored() const { return ignored_; }
  /// What known flags say that is not in the model, a line each.
  [[nodiscard]] std::vector<std::string> notes() const;

 private:
  struct Value {
    std::vector<std::string> words;
    int line = 1;
  };
  void ignore(const std::string& flag, int line);

  Diagnostics& problems_;
  std::map<std::string, Value, std::less<>> values_;
  std::vector<std::string> ignored_;
};

}  // namespace railyard::placement
