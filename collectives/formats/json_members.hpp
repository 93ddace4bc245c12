#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/config/json_value.hpp"

namespace railyard::collectives {

/// A member of a JSON object as text; "" if missing. Lists and objects become JSON on one line.
[[nodiscard]] std::string text_of(const core::JsonValue& object, std::string_view key);
/// A value, or a member, as a number; nothing for other types.
[[nodiscard]] std::optional<double> number_of(const core::JsonValue& value);
[[nodiscard]] std::optional<double> number_of(const core::JsonValue& object, std::string_view key);

}  // namespace railyard::collectives
