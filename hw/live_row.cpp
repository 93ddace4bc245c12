#include "hw/live_row.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "hw/time_statistics.hpp"

namespace railyard::hw {

using collectives::Measurement;

Measurement live_row(const collectives::Schedule& schedule, const Measured& measured,
                     std::string_view backend, std::uint64_t seed,
                     const std::optional<collectives::TaskResult>& predicted) {
  collectives::TaskResult result;
  result.finish = quantile(measured.times, 0.5);
  Measurement row = collectives::measure(schedule, result, backend, seed);
  row.live = Measurement::Live{.min = std::ranges::min(measured.times),
                               .p50 = quantile(measured.times, 0.5),
                               .p99 = quantile(measured.times, 0.99),
                               .wrong = measured.check.wrong,
                               .predicted = {},
                               .error_pct = {},
                               .error_term = {},
                               .skew = quantile(measured.skews, 0.5)};
  if (!predicted) return row;
  row.live->predicted = predicted->finish - predicted->start;
  row.bound_by = predicted->bound_by.text;
  const Time median = row.live->p50;
  if (median > Time())
    row.live->error_pct = (row.live->predicted->seconds() / median.seconds() - 1) * 100;
  return row;
}

void set_native(const std::optional<LibraryChoice>& choice, Measurement& row) {
  row.algorithm = kNative;
  row.protocol.clear();
  row.channels = 0;
  if (!choice) return;
  row.algorithm = fmt::format("{}:{}", kNative, choice->algorithm);
  row.protocol = choice->protocol;
  row.channels = choice->channels;
}

}  // namespace railyard::hw
