#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostic.hpp"

namespace railyard::placement {

/// The flags of a Megatron-LM command line that determine the parallelisation, with their values
/// and lines. Problems are appended to `problems`.
class MegatronFlags {
 public:
  MegatronFlags(std::string_view text, Diagnostics& problems);

  [[nodiscard]] bool has(std::string_view flag) const { return values_.contains(flag); }
  /// Values of a flag; empty without the flag.
  [[nodiscard]] std::vector<std::string> words(std::string_view flag) const;
  [[nodiscard]] std::string word(std::string_view flag) const;
  /// Value of a flag as an integer from `least` to 2^24 (stages and layers: 4096); `otherwise`
  /// without the flag. Other values are problems.
  [[nodiscard]] int number(std::string_view flag, int otherwise, int least = 1);
  /// Adds the problem "line 3: --flag message".
  void add_problem(std::string_view flag, const std::string& message, const std::string& hint = {});
  /// Adds problems for flags that Megatron-LM refuses together, or without another flag.
  void check_combinations();

  /// Flags that do not affect parallelism, in order.
  [[nodiscard]] const std::vector<std::string>& ignored() const { return ignored_; }
  /// Settings of known flags that the cost model does not include, one line each.
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
