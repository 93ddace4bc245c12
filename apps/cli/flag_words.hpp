#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace railyard::apps {

/// Where the words of a command line give a flag: "--nodes 4" or "--nodes=4".
struct FlagPlace {
  std::size_t flag = 0;   ///< index of the word with the flag
  std::size_t value = 0;  ///< index of the word with the value; the number of words: it is missing
  std::size_t from = 0;   ///< first letter of the value in its word

  [[nodiscard]] bool has_value(const std::vector<std::string>& words) const {
    return value < words.size();
  }
};

/// The place of a flag ("--nodes"). Of several the last one counts, as in a command line.
[[nodiscard]] std::optional<FlagPlace> find_flag(const std::vector<std::string>& words,
                                                 std::string_view flag);

/// The value of a flag; "" where it is not given.
[[nodiscard]] std::string value_of_flag(const std::vector<std::string>& words,
                                        std::string_view flag);

/// Replaces the value at a place.
void set_value(std::vector<std::string>& words, const FlagPlace& place, std::string_view value);

/// Removes a flag with its value; returns the value. A flag without a value stays, and the result
/// is
/// "".
std::string take_flag(std::vector<std::string>& words, std::string_view flag);

}  // namespace railyard::apps
