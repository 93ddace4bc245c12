#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "collectives/schedule/executor.hpp"
#include "collectives/schedule/measurement.hpp"
#include "hw/live_measure.hpp"

namespace railyard::hw {

/// The row of a collective that was measured, complete at process 0. Its time is the median of the
/// iterations: the mean of a machine with other work includes the time of that work. With a
/// prediction it has that of its time, the limiting link and
///
///     error_pct = 100 (predicted / median - 1)
[[nodiscard]] collectives::Measurement live_row(
    const collectives::Schedule& schedule, const Measured& measured, std::string_view backend,
    std::uint64_t seed, const std::optional<collectives::TaskResult>& predicted);

}  // namespace railyard::hw
