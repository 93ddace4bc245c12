#pragma once

#include <cstddef>
#include <string>

namespace railyard::placement {

/// `text` with every line indented, for a block of YAML: quotes and backslashes stay as they are.
[[nodiscard]] std::string indented(const std::string& text, std::size_t spaces);

}  // namespace railyard::placement
