#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/validate/measured.hpp"
#include "core/config/json_value.hpp"

namespace railyard::apps {

/// A collection of tables: {"datasets": [{"id", "collective", "gpu", "intra", "inter", "n_ranks",
/// "columns", "rows", ...}]}. Columns are known by their names ("size_B", "time_us_oop", ...).
[[nodiscard]] std::vector<MeasuredTable> measured_datasets(const core::JsonValue& root);

/// A result file of railyard: {"railyard", "kind", "provenance", "rows"}.
[[nodiscard]] MeasuredTable measured_result(const std::string& name, const core::JsonValue& root);

/// nccl-tests' -J file: {"nccl_version", "args", "config", "results": [{"size", "out_of_place"}]}.
[[nodiscard]] MeasuredTable measured_nccl_json(const std::string& name, const core::JsonValue& root,
                                               std::optional<collectives::Kind> kind);

/// What an nccl-tests program prints: "# Rank ..." lines, then one line per size.
[[nodiscard]] MeasuredTable measured_nccl_text(const std::string& name, std::string_view text,
                                               std::optional<collectives::Kind> kind);

/// A member as text ("" where there is none; lists and objects as JSON on one line) or as number.
[[nodiscard]] std::string text_of(const core::JsonValue& object, std::string_view key);
[[nodiscard]] std::optional<double> number_of(const core::JsonValue& value);
[[nodiscard]] std::optional<double> number_of(const core::JsonValue& object, std::string_view key);

}  // namespace railyard::apps
