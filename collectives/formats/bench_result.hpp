#pragma once

#include <string>

#include "collectives/formats/measured_table.hpp"
#include "core/config/json_value.hpp"

namespace railyard::collectives {

/// A result file of railyard: {"railyard", "kind", "provenance", "rows"}.
[[nodiscard]] MeasuredTable measured_result(const std::string& name, const core::JsonValue& root);

}  // namespace railyard::collectives
