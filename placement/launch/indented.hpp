#pragma once

#include <cstddef>
#include <string>

namespace railyard::placement {

/// `text` with every line indented, for a YAML block. Quotes and backslashes are not escaped.
[[nodiscard]] std::string indented(const std::string& text, std::size_t spaces);

}  // namespace railyard::placement
