#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "collectives/schedule/collective.hpp"

namespace railyard::collectives {

/// A rank in the header of nccl-tests.
struct NcclTestsDevice {
  std::string host;
  std::int64_t pid = 0;
  std::string place;  ///< "0000:1b:00.0"; "cpu" for a rank without a GPU
  std::string name;
};

/// The name of a type in nccl-tests: half, float, double, f8e4m3, f8e5m2; for other types
/// to_text().
[[nodiscard]] std::string_view nccl_tests_type(DataType type);
/// The type with this name in nccl-tests or in to_text(); nothing for other texts.
[[nodiscard]] std::optional<DataType> type_of_nccl_tests(std::string_view name);

}  // namespace railyard::collectives
