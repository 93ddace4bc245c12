#pragma once

#include <string_view>

#include "apps/bench/bench_flags.hpp"

namespace railyard::apps {

/// Throws InputError with every flag that has no effect with this backend or these other flags.
void refuse_unused(const BenchFlags& flags, std::string_view backend);

}  // namespace railyard::apps
