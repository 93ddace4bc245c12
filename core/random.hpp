#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace railyard::core {

/// A stream of random numbers: the generator xoshiro256++ (Blackman and Vigna, ACM TOMS 47(4),
/// 2021), initialised from (seed, stream) by SplitMix64 (Steele et al., OOPSLA 2014). Streams with
/// different numbers are independent. A simulation that has one stream per object therefore draws
/// the same numbers on any number of threads.
class RandomStream {
 public:
  explicit constexpr RandomStream(std::uint64_t seed, std::uint64_t stream = 0) {
    std::uint64_t state = seed ^ mixed(stream + 0x9e3779b97f4a7c15ULL);
    for (std::uint64_t& word : state_) word = mixed(state += 0x9e3779b97f4a7c15ULL);
  }

  constexpr std::uint64_t next() {
    const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }
  /// Uniform in (0, 1): an odd multiple of 2^-54.
  constexpr double uniform() { return (static_cast<double>(next() >> 11) + 0.5) * 0x1p-53; }
  /// A uniform integer in 0 .. count - 1. `count` must be much smaller than 2^53.
  constexpr std::uint64_t below(std::uint64_t count) {
    return static_cast<std::uint64_t>(uniform() * static_cast<double>(count));
  }
  /// Exponentially distributed with mean 1.
  double exponential() { return -std::log(uniform()); }
  /// Normally distributed with mean 0 and variance 1 (Box and Muller 1958; uses one of the two
  /// values).
  double normal() {
    constexpr double kTwoPi = 6.283185307179586;
    const double radius = std::sqrt(2 * exponential());
    return radius * std::cos(kTwoPi * uniform());
  }

 private:
  static constexpr std::uint64_t mixed(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  std::array<std::uint64_t, 4> state_{};
};

}  // namespace railyard::core
