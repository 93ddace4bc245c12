#pragma once

#include <span>
#include <string_view>
#include <utility>

#include "apps/place/place_flags.hpp"
#include "placement/search/search.hpp"

namespace railyard::apps {

/// Names that --also takes, with what each adds to a search.
[[nodiscard]] std::span<const std::pair<std::string_view, std::string_view>> further_names();

/// What the flags let a search choose from on `gpus` GPUs, of which `top` are kept. Throws
/// InputError for a name that --also does not know.
[[nodiscard]] placement::SearchSpace search_space(const PlaceFlags& flags, int gpus, int top);

}  // namespace railyard::apps
