#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace railyard::placement {

/// A list of numbers as strategies have it: "10*2/6/5" is 10, 10, 6, 5. Throws InputError at
/// `where` for anything else.
[[nodiscard]] std::vector<int> parse_counts(std::string_view text, const std::string& where);
/// The shortest such text.
[[nodiscard]] std::string to_counts_text(const std::vector<int>& counts);

}  // namespace railyard::placement
