#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "placement/search/search_space.hpp"

namespace railyard::placement {

/// Settings of a search that few frameworks support: the names that --also takes, with what each
/// adds.
[[nodiscard]] std::span<const std::pair<std::string_view, std::string_view>> further_names();

/// A search space with the settings of --also. Throws InputError for an unknown name.
[[nodiscard]] SearchSpace search_space(std::span<const std::string> also, bool overlap,
                                       bool offload);

}  // namespace railyard::placement
