#include "hw/local/float16.hpp"

namespace railyard::hw {

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

}  // namespace railyard::hw
