#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "collectives/nccl/choice/nccl_environment.hpp"
#include "core/diagnostic.hpp"

namespace railyard::collectives::nccl {

/// The value of one variable, to be read into the environment.
struct NcclValue {
  std::string_view text;
  std::string pointer;  ///< "--env NCCL_ALGO=Ring"
  NcclEnvironment& environment;
  Diagnostics& problems;

  /// The text as a whole number from `least` to `most` (decimal, or hexadecimal with 0x); otherwise
  /// nothing, and a problem is added.
  [[nodiscard]] std::optional<std::int64_t> number(std::int64_t least, std::int64_t most) const;
};

/// A variable that has an effect.
struct NcclVariable {
  std::string_view name;
  void (*read)(const NcclValue& value);
};

/// In alphabetical order.
[[nodiscard]] std::span<const NcclVariable> nccl_variable_table();

}  // namespace railyard::collectives::nccl
