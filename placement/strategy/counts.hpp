#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace railyard::placement {

/// Reads a list of numbers as strategies write it: "10*2/6/5" is 10, 10, 6, 5. Throws InputError at
/// `where` for other texts.
[[nodiscard]] std::vector<int> parse_counts(std::string_view text, const std::string& where);
/// The shortest text of such a list.
[[nodiscard]] std::string to_counts_text(const std::vector<int>& counts);

}  // namespace railyard::placement
