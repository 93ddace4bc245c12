#pragma once

#include <string>
#include <vector>

namespace railyard::placement {

/// A place in a launch file that its user has to fill in, or should look at before the start.
struct FillIn {
  std::string name;  ///< as it is written in the file
  std::string what;  ///< what belongs there
};

/// A comment of a launch file, "# Fill in before the start:" and a line for each place. Empty
/// without places.
[[nodiscard]] std::string fill_in_comment(const std::vector<FillIn>& places);

}  // namespace railyard::placement
