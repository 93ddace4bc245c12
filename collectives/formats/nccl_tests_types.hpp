#pragma once

#include <optional>
#include <string_view>

#include "collectives/schedule/collective.hpp"

namespace railyard::collectives {

/// nccl-tests' name of a type: half, float, double, f8e4m3, f8e5m2; of the others to_text's.
[[nodiscard]] std::string_view nccl_tests_type(DataType type);
/// The type that nccl-tests or to_text gives this name; nothing for other texts.
[[nodiscard]] std::optional<DataType> type_of_nccl_tests(std::string_view name);

}  // namespace railyard::collectives
