#include "apps/cli/kind_flag.hpp"

#include <fmt/format.h>

#include "core/diagnostic.hpp"

namespace railyard::apps {

std::optional<collectives::Kind> kind_of_flag(const std::string& text, const std::string& hint) {
  if (text.empty()) return std::nullopt;
  if (const auto kind = collectives::kind_from(text)) return kind;
  throw InputError("", "--collective", fmt::format("'{}' is not a collective", text), hint);
}

}  // namespace railyard::apps
