#pragma once

#include <string>
#include <vector>

#include "apps/cli/flags.hpp"

namespace railyard::apps {

/// Adds --candidates, for plans that choose among clusters.
void add_candidates_flag(FlagSet app, std::vector<std::string>& candidates);
/// Adds --price: the rent of a GPU-hour, for all candidates or for one.
[[nodiscard]] Flag add_rent_flag(FlagSet app, std::vector<std::string>& price);

}  // namespace railyard::apps
