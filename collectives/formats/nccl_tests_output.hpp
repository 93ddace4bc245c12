#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "collectives/formats/measured_table.hpp"
#include "core/config/json_value.hpp"

namespace railyard::collectives {

/// The JSON output of nccl-tests (-J): {"nccl_version", "args", "config", "results": [{"size",
/// "out_of_place"}]}.
[[nodiscard]] MeasuredTable measured_nccl_json(const std::string& name, const core::JsonValue& root,
                                               std::optional<Kind> kind);

/// The text output of nccl-tests: "# Rank ..." lines, then one line per size.
[[nodiscard]] MeasuredTable measured_nccl_text(const std::string& name, std::string_view text,
                                               std::optional<Kind> kind);

}  // namespace railyard::collectives
