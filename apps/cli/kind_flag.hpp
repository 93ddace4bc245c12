#pragma once

#include <optional>
#include <string>

#include "collectives/schedule/collective.hpp"

namespace railyard::apps {

/// The value of --collective for tables that do not state it; nothing for "". Throws InputError at
/// the flag, with `hint`.
[[nodiscard]] std::optional<collectives::Kind> kind_of_flag(const std::string& text,
                                                            const std::string& hint = {});

}  // namespace railyard::apps
