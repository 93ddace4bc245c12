#include "placement/capacity/training/gpu_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>

#include "core/diagnostic.hpp"

namespace railyard::placement {
namespace {

int number_of(std::string_view text, const std::string& flag) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 1)
    throw InputError("", flag, fmt::format("'{}' is not a number of GPUs", text),
                     fmt::format("{0} 512,1024 or {0} 512..8192", flag));
  return number;
}

}  // namespace

std::vector<int> parse_gpu_numbers(const std::string& text, const std::string& flag) {
  std::vector<int> numbers;
  if (const std::size_t dots = text.find(".."); dots != std::string::npos) {
    const int first = number_of(std::string_view(text).substr(0, dots), flag);
    const int last = number_of(std::string_view(text).substr(dots + 2), flag);
    if (last < first)
      throw InputError("", flag, fmt::format("{} ends below its beginning", text), "512..8192");
    for (std::int64_t n = first; n < last; n *= 2) numbers.push_back(static_cast<int>(n));
    numbers.push_back(last);
    return numbers;
  }
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    numbers.push_back(number_of(std::string_view(text).substr(from, comma - from), flag));
    from = comma + 1;
  }
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

}  // namespace railyard::placement
