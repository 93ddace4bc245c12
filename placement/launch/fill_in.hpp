#pragma once

#include <string>
#include <vector>

namespace railyard::placement {

/// A placeholder in a launch file that the user must fill in, or should check before the start.
struct FillIn {
  std::string name;  ///< as written in the file
  std::string what;  ///< description of the value
};

/// A comment for a launch file: "# Fill in before the start:" and one line per placeholder. Empty
/// without placeholders.
[[nodiscard]] std::string fill_in_comment(const std::vector<FillIn>& places);

}  // namespace railyard::placement
