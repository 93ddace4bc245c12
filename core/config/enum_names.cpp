#include "core/config/enum_names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace railyard::core {

std::string unknown_name(std::string_view text, const std::vector<std::string_view>& names) {
  const std::string near = did_you_mean(text, names);
  return fmt::format("'{}' is not one of {}{}", text, fmt::join(names, ", "),
                     near.empty() ? "" : fmt::format(" ({})", near));
}

}  // namespace railyard::core
