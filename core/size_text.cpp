#include "core/size_text.hpp"

#include <fmt/format.h>

#include <string_view>

namespace railyard::core {

std::string size_text(std::int64_t bytes) {
  constexpr std::string_view kUnits = "KMGT";
  std::int64_t number = bytes;
  std::size_t unit = 0;
  for (; number != 0 && number % 1024 == 0 && unit < kUnits.size(); ++unit) number /= 1024;
  return unit == 0 ? fmt::format("{}", number) : fmt::format("{}{}", number, kUnits[unit - 1]);
}

}  // namespace railyard::core
