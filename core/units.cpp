#include "core/units.hpp"

#include <cassert>
#include <cmath>

namespace railyard::core {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

/// Nearest integer (ties away from zero), saturated at ±kMax; `value` must not be NaN.
std::int64_t saturated_round(double value) {
  assert(!std::isnan(value));
  // 2^63 is the first double beyond the range; every double below it is in range.
  if (value >= 0x1p63) return kMax;
  if (value <= -0x1p63) return -kMax;
  return static_cast<std::int64_t>(std::llround(value));
}

}  // namespace

Time Time::from_seconds(double seconds) { return Time(saturated_round(seconds * 1e12)); }

Bandwidth Bandwidth::from_gigabytes_per_second(double gigabytes_per_second) {
  return bits_per_second(saturated_round(gigabytes_per_second * 8e9));
}

Time serialisation_time(Bytes bytes, Bandwidth bandwidth) {
  assert(bytes.count() >= 0 && bandwidth.bits_per_second() > 0);
  constexpr std::int64_t kPicosecondBits = 8'000'000'000'000;
  // Below 2^63 · 8e12 < 2^106, so the product and the rounding term fit 128 bits.
  const auto numerator = static_cast<__int128>(bytes.count()) * kPicosecondBits;
  const auto rate = static_cast<__int128>(bandwidth.bits_per_second());
  const __int128 picoseconds = (numerator + rate - 1) / rate;
  return picoseconds > kMax ? Time::never()
                            : Time::picoseconds(static_cast<std::int64_t>(picoseconds));
}

}  // namespace railyard::core
