#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "collectives/schedule/executor.hpp"
#include "collectives/schedule/measurement.hpp"
#include "hw/live_backend.hpp"
#include "hw/live_measure.hpp"

namespace railyard::hw {

/// The row of a measured collective, complete at process 0. Its time is the median of the
/// iterations, because the mean would include the time of other work on the machine. With a
/// prediction, the row has the predicted time, the limiting link and
///
///     error_pct = 100 (predicted / median - 1)
[[nodiscard]] collectives::Measurement live_row(
    const collectives::Schedule& schedule, const Measured& measured, std::string_view backend,
    std::uint64_t seed, const std::optional<collectives::TaskResult>& predicted);

/// The algorithm of rows of a library's own collective.
inline constexpr std::string_view kNative = "native";

/// Makes a row that of a library's own collective: algorithm "native", or "native:ring" with
/// protocol and channels, if the library reports its choice.
void set_native(const std::optional<LibraryChoice>& choice, collectives::Measurement& row);

}  // namespace railyard::hw
