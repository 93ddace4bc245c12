#include "hw/local/narrow_floats.hpp"

#include <algorithm>

namespace railyard::hw {
namespace {

/// An 8-bit float without its sign: `fraction` bits of fraction below the exponent. Codes from
/// `infinity` on are infinity (only the first, where nan > infinity) and NaN.
struct Format {
  int fraction;
  int bias;
  std::uint32_t largest;   ///< finite value
  std::uint32_t infinity;  ///< as nan, where there is none
  std::uint32_t nan;
};
constexpr Format kE4M3{3, 7, 0x7e, 0x7f, 0x7f};
constexpr Format kE5M2{2, 15, 0x7b, 0x7c, 0x7f};

/// 2^exponent, which is normal.
constexpr float power_of_two(int exponent) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(exponent + 127) << 23);
}

template <Format F>
float widened(std::uint8_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x80U) << 24;
  const std::uint32_t code = bits & 0x7fU;
  if (code >= F.infinity) {
    const bool is_infinite = code == F.infinity && F.infinity != F.nan;
    return std::bit_cast<float>(sign | (is_infinite ? 0x7f800000U : 0x7fc00000U));
  }
  if (code >> F.fraction == 0) {
    // Subnormal: a multiple of 2^(1 - bias - fraction bits), exact in binary32.
    const float magnitude = static_cast<float>(code) * power_of_two(1 - F.bias - F.fraction);
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
  }
  constexpr auto kRebias = static_cast<std::uint32_t>(127 - F.bias) << 23;
  return std::bit_cast<float>(sign | ((code << (23 - F.fraction)) + kRebias));
}

template <Format F>
std::uint8_t narrowed(float value) {
  constexpr int kShift = 23 - F.fraction;
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 24) & 0x80U;
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  std::uint32_t code = 0;
  if (magnitude > 0x7f800000U) {
    code = F.nan;
  } else if (magnitude >= static_cast<std::uint32_t>(128 - F.bias) << 23) {
    const std::uint32_t half = (1U << (kShift - 1)) - 1 + ((magnitude >> kShift) & 1U);
    code =
        ((magnitude + half) >> kShift) - (static_cast<std::uint32_t>(127 - F.bias) << F.fraction);
    code = std::min(code, F.largest);
  } else {
    // Subnormal: the FPU rounds to a multiple of the last bit of this power of two.
    constexpr float kLarge = power_of_two(1 - F.bias - F.fraction + 23);
    const float shifted = std::bit_cast<float>(magnitude) + kLarge;
    code = std::bit_cast<std::uint32_t>(shifted) - std::bit_cast<std::uint32_t>(kLarge);
  }
  return static_cast<std::uint8_t>(sign | code);
}

}  // namespace

float to_float(Float16 value) {
  const std::uint32_t sign = static_cast<std::uint32_t>(value.bits & 0x8000U) << 16;
  const std::uint32_t exponent = (value.bits >> 10) & 0x1fU;
  const std::uint32_t fraction = value.bits & 0x3ffU;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000U | (fraction << 13));
  if (exponent != 0) {
    return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
  }
  // Subnormal: fraction * 2^-24, exact in binary32.
  const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
  return sign != 0 ? -magnitude : magnitude;
}

Float16 to_float16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  std::uint32_t half = 0;
  if (magnitude > 0x7f800000U) {
    half = 0x7e00U | ((magnitude >> 13) & 0x3ffU);
  } else if (magnitude >= 0x477ff000U) {
    half =
        0x7c00U;  // from 65520 on, the midpoint above the largest finite value, rounds to infinity
  } else if (magnitude >= 0x38800000U) {
    const std::uint32_t rounded = magnitude + 0xfffU + ((magnitude >> 13) & 1U);
    half = (rounded >> 13) - (112U << 10);
  } else {
    // Subnormal: adding 1/2 leaves round(|value| * 2^24) in the low bits, rounded to even by the
    // FPU.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5F;
    half = std::bit_cast<std::uint32_t>(shifted) - std::bit_cast<std::uint32_t>(0.5F);
  }
  return {static_cast<std::uint16_t>(sign | half)};
}

float to_float(Float8E4M3 value) { return widened<kE4M3>(value.bits); }
float to_float(Float8E5M2 value) { return widened<kE5M2>(value.bits); }
Float8E4M3 to_float8_e4m3(float value) { return {narrowed<kE4M3>(value)}; }
Float8E5M2 to_float8_e5m2(float value) { return {narrowed<kE5M2>(value)}; }

}  // namespace railyard::hw
