#pragma once

#include <bit>
#include <concepts>
#include <cstdint>

/// Floating-point types of 8 and 16 bits, as GPUs store them and NCCL reduces them.
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

/// OCP 8-bit E4M3 (OFP8 specification 1.0, table 1): bias 7, no infinity, NaN S.1111.111, up to
/// 448.
struct Float8E4M3 {
  std::uint8_t bits = 0;
  friend bool operator==(Float8E4M3, Float8E4M3) = default;
};

/// OCP 8-bit E5M2 (the same table): bias 15, infinity and NaN as IEEE 754, up to 57,344.
struct Float8E5M2 {
  std::uint8_t bits = 0;
  friend bool operator==(Float8E5M2, Float8E5M2) = default;
};

template <class T>
concept NarrowFloat = std::same_as<T, Float16> || std::same_as<T, BFloat16> ||
    std::same_as<T, Float8E4M3> || std::same_as<T, Float8E5M2>;

/// Exact.
[[nodiscard]] float to_float(Float16 value);
[[nodiscard]] inline float to_float(BFloat16 value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16);
}
[[nodiscard]] float to_float(Float8E4M3 value);
[[nodiscard]] float to_float(Float8E5M2 value);

/// Rounds to nearest, ties to even. Values that are too large become infinity, and a NaN stays a
/// NaN.
[[nodiscard]] Float16 to_float16(float value);
/// Rounds to nearest, ties to even; a NaN stays a (quiet) NaN.
[[nodiscard]] inline BFloat16 to_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffU) > 0x7f800000U) {
    return {static_cast<std::uint16_t>((bits >> 16) | 0x40U)};
  }
  return {static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16)};
}
/// Rounds to nearest, ties to even. Values that are too large, infinity included, become the
/// largest finite value (CUDA's __NV_SATFINITE, which NCCL uses), and a NaN stays a NaN.
[[nodiscard]] Float8E4M3 to_float8_e4m3(float value);
[[nodiscard]] Float8E5M2 to_float8_e5m2(float value);

/// The value as T, rounded as above.
template <NarrowFloat T>
[[nodiscard]] T from_float(float value) {
  if constexpr (std::same_as<T, Float16>) {
    return to_float16(value);
  } else if constexpr (std::same_as<T, BFloat16>) {
    return to_bfloat16(value);
  } else if constexpr (std::same_as<T, Float8E4M3>) {
    return to_float8_e4m3(value);
  } else {
    return to_float8_e5m2(value);
  }
}

}  // namespace railyard::hw
