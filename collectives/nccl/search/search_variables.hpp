#pragma once

#include <span>
#include <string_view>

#include "collectives/nccl/tuning/environment.hpp"

namespace railyard::collectives::nccl {

/// One of the NCCL_* variables that affect the search.
struct SearchVariable {
  std::string_view name;
  std::string_view values;  ///< valid values, for errors: "0, 1 or 2"
  /// Sets the variable. Returns false if the value is not one of `values`.
  bool (*set)(SearchEnvironment& environment, std::string_view value);
};

/// All variables, by name.
[[nodiscard]] std::span<const SearchVariable> search_variables();
/// The variable of that name; nullptr if the search does not use one.
[[nodiscard]] const SearchVariable* find_search_variable(std::string_view name);

}  // namespace railyard::collectives::nccl
