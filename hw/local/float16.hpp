#pragma once

#include <bit>
#include <cstdint>

namespace railyard::hw {

/// IEEE 754 binary16: 5 bits of exponent, 10 of fraction.
struct Float16 {
  std::uint16_t bits = 0;
  friend bool operator==(Float16, Float16) = default;
};

/// The upper half of a binary32: 8 bits of exponent, 7 of fraction.
struct BFloat16 {
  std::uint16_t bits = 0;
  friend bool operator==(BFloat16, BFloat16) = default;
};

/// Exact.
[[nodiscard]] inline float to_float(BFloat16 value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16);
}

/// Rounds to nearest, ties to even; a NaN stays a (quiet) NaN.
[[nodiscard]] inline BFloat16 to_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffU) > 0x7f800000U) {
    return {static_cast<std::uint16_t>((bits >> 16) | 0x40U)};
  }
  return {static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16)};
}

/// Exact.
[[nodiscard]] float to_float(Float16 value);
/// Rounds to nearest, ties to even; what is too large becomes infinity, a NaN stays a NaN.
[[nodiscard]] Float16 to_float16(float value);

}  // namespace railyard::hw
