#pragma once

#include <vector>

#include "apps/cli/context.hpp"
#include "apps/validate/predicted.hpp"

namespace railyard::apps {

/// The error in per cent of every row, predicted with parameters that were fitted to all other
/// tables, from NCCL's constants: nothing of the row's own table has been seen.
[[nodiscard]] std::vector<double> errors_left_out(const Judged& judged, Context& context);

}  // namespace railyard::apps
