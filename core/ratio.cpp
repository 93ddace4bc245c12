#include "core/ratio.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

namespace railyard::core {
namespace {

/// The number that is the whole text; nan for other text.
double number_of(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return text.empty() || *end != '\0' ? std::nan("") : value;
}

}  // namespace

Parsed<double> parse_ratio(const std::string& text) {
  const std::size_t colon = text.find(':');
  const double down = number_of(text.substr(0, colon));
  const double up = colon == std::string::npos ? 1 : number_of(text.substr(colon + 1));
  const double ratio = down / up;
  if (!std::isfinite(ratio) || !(up > 0) || !(down > 0))
    return {std::nullopt, fmt::format("'{}' is not a ratio", text)};
  return {ratio, {}};
}

}  // namespace railyard::core
