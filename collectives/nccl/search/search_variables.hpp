#pragma once

#include <span>
#include <string_view>

#include "collectives/nccl/tuning/environment.hpp"

namespace railyard::collectives::nccl {

/// One of the NCCL_* variables that the search looks at.
struct SearchVariable {
  std::string_view name;
  std::string_view values;  ///< what it takes, for errors: "0, 1 or 2"
  /// Sets it; false where the value is not one of `values`.
  bool (*set)(SearchEnvironment& environment, std::string_view value);
};

/// All of them, by name.
[[nodiscard]] std::span<const SearchVariable> search_variables();
/// The one of that name; nullptr where the search looks at none such.
[[nodiscard]] const SearchVariable* find_search_variable(std::string_view name);

}  // namespace railyard::collectives::nccl
