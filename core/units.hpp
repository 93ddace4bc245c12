#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "core/config/parsed.hpp"

namespace railyard::core {

/// Sum, difference and product of integers. A result that overflows becomes ±(2^63 - 1). The unit
/// types use these functions, so that their arithmetic never wraps: an input that is too large
/// becomes the largest value, which callers then reject.
[[nodiscard]] constexpr std::int64_t saturated_sum(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  const std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  return a > 0 ? largest : -largest;
}
[[nodiscard]] constexpr std::int64_t saturated_difference(std::int64_t a, std::int64_t b) {
  std::int64_t difference = 0;
  if (!__builtin_sub_overflow(a, b, &difference)) return difference;
  const std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  return b < 0 ? largest : -largest;
}
[[nodiscard]] constexpr std::int64_t saturated_product(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) return product;
  const std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  return (a < 0) == (b < 0) ? largest : -largest;
}

/// A duration, or an instant since the start of a run, in integer picoseconds (signed; up to about
/// 106 days). Arithmetic saturates at ±never().
class Time {
 public:
  constexpr Time() = default;
  [[nodiscard]] static constexpr Time picoseconds(std::int64_t n) { return Time(n); }
  [[nodiscard]] static constexpr Time nanoseconds(std::int64_t n) { return picoseconds(n) * 1'000; }
  [[nodiscard]] static constexpr Time microseconds(std::int64_t n) {
    return picoseconds(n) * 1'000'000;
  }
  [[nodiscard]] static constexpr Time milliseconds(std::int64_t n) {
    return picoseconds(n) * 1'000'000'000;
  }
  [[nodiscard]] static constexpr Time seconds(std::int64_t n) {
    return picoseconds(n) * kPerSecond;
  }
  /// Rounds to the nearest picosecond. Values beyond the range become ±never().
  [[nodiscard]] static Time from_seconds(double seconds);
  /// The largest value, later than every event.
  [[nodiscard]] static constexpr Time never() {
    return Time(std::numeric_limits<std::int64_t>::max());
  }

  [[nodiscard]] constexpr std::int64_t picoseconds() const { return picoseconds_; }
  [[nodiscard]] constexpr double seconds() const {
    return static_cast<double>(picoseconds_) / 1e12;
  }
  [[nodiscard]] constexpr double microseconds() const {
    return static_cast<double>(picoseconds_) / 1e6;
  }

  constexpr Time& operator+=(Time other) {
    picoseconds_ = saturated_sum(picoseconds_, other.picoseconds_);
    return *this;
  }
  constexpr Time& operator-=(Time other) {
    picoseconds_ = saturated_difference(picoseconds_, other.picoseconds_);
    return *this;
  }
  friend constexpr Time operator+(Time a, Time b) { return a += b; }
  friend constexpr Time operator-(Time a, Time b) { return a -= b; }
  friend constexpr Time operator*(Time a, std::int64_t n) {
    return Time(saturated_product(a.picoseconds_, n));
  }
  friend constexpr Time operator*(std::int64_t n, Time a) { return a * n; }
  friend constexpr auto operator<=>(Time, Time) = default;

 private:
  static constexpr std::int64_t kPerSecond = 1'000'000'000'000;
  explicit constexpr Time(std::int64_t picoseconds) : picoseconds_(picoseconds) {}
  std::int64_t picoseconds_ = 0;
};

/// An amount of data in integer bytes (signed). Arithmetic saturates at ±(2^63 - 1).
class Bytes {
 public:
  constexpr Bytes() = default;
  explicit constexpr Bytes(std::int64_t count) : count_(count) {}
  [[nodiscard]] constexpr std::int64_t count() const { return count_; }
  /// In GB of 1e9 bytes.
  [[nodiscard]] constexpr double gigabytes() const { return static_cast<double>(count_) / 1e9; }

  constexpr Bytes& operator+=(Bytes other) {
    count_ = saturated_sum(count_, other.count_);
    return *this;
  }
  constexpr Bytes& operator-=(Bytes other) {
    count_ = saturated_difference(count_, other.count_);
    return *this;
  }
  friend constexpr Bytes operator+(Bytes a, Bytes b) { return a += b; }
  friend constexpr Bytes operator-(Bytes a, Bytes b) { return a -= b; }
  friend constexpr Bytes operator*(Bytes a, std::int64_t n) {
    return Bytes(saturated_product(a.count_, n));
  }
  friend constexpr Bytes operator*(std::int64_t n, Bytes a) { return a * n; }
  friend constexpr Bytes operator/(Bytes a, std::int64_t n) { return Bytes(a.count_ / n); }
  friend constexpr auto operator<=>(Bytes, Bytes) = default;

 private:
  std::int64_t count_ = 0;
};

/// A data rate in integer bits per second (signed), so that Gb/s (1e9 bit/s) and GB/s (1e9 B/s) are
/// exact. Arithmetic saturates at ±(2^63 - 1).
class Bandwidth {
 public:
  constexpr Bandwidth() = default;
  [[nodiscard]] static constexpr Bandwidth bits_per_second(std::int64_t n) { return Bandwidth(n); }
  [[nodiscard]] static constexpr Bandwidth bytes_per_second(std::int64_t n) {
    return Bandwidth(n) * 8;
  }
  [[nodiscard]] static constexpr Bandwidth megabits_per_second(std::int64_t n) {
    return Bandwidth(n) * 1'000'000;
  }
  [[nodiscard]] static constexpr Bandwidth gigabits_per_second(std::int64_t n) {
    return Bandwidth(n) * 1'000'000'000;
  }
  [[nodiscard]] static constexpr Bandwidth gigabytes_per_second(std::int64_t n) {
    return Bandwidth(n) * 8'000'000'000;
  }
  /// From a rate in GB/s (1e9 B/s), rounded to the nearest bit per second, for published tables.
  [[nodiscard]] static Bandwidth from_gigabytes_per_second(double gigabytes_per_second);

  [[nodiscard]] constexpr std::int64_t bits_per_second() const { return bits_per_second_; }
  [[nodiscard]] constexpr double bytes_per_second() const {
    return static_cast<double>(bits_per_second_) / 8.0;
  }
  /// In GB/s of 1e9 bytes per second.
  [[nodiscard]] constexpr double gigabytes_per_second() const {
    return static_cast<double>(bits_per_second_) / 8e9;
  }

  constexpr Bandwidth& operator+=(Bandwidth other) {
    bits_per_second_ = saturated_sum(bits_per_second_, other.bits_per_second_);
    return *this;
  }
  friend constexpr Bandwidth operator+(Bandwidth a, Bandwidth b) { return a += b; }
  friend constexpr Bandwidth operator-(Bandwidth a, Bandwidth b) {
    return Bandwidth(saturated_difference(a.bits_per_second_, b.bits_per_second_));
  }
  friend constexpr Bandwidth operator*(Bandwidth a, std::int64_t n) {
    return Bandwidth(saturated_product(a.bits_per_second_, n));
  }
  friend constexpr Bandwidth operator*(std::int64_t n, Bandwidth a) { return a * n; }
  friend constexpr Bandwidth operator/(Bandwidth a, std::int64_t n) {
    return Bandwidth(a.bits_per_second_ / n);
  }
  friend constexpr auto operator<=>(Bandwidth, Bandwidth) = default;

 private:
  explicit constexpr Bandwidth(std::int64_t bits_per_second) : bits_per_second_(bits_per_second) {}
  std::int64_t bits_per_second_ = 0;
};

/// The time to transmit `bytes` over a link of `bandwidth`: ceil(8e12 * bytes / bandwidth)
/// picoseconds, in exact 128-bit integer arithmetic. Requires bytes >= 0 and bandwidth > 0.
/// Saturates at Time::never(). Example: 4096 B at 400 Gb/s take 81,920 ps.
[[nodiscard]] Time serialisation_time(Bytes bytes, Bandwidth bandwidth);

/// Reads "64 KiB", "80 GB" or "64M". KiB, MiB, ... are powers of 1024; KB, MB, ... are powers of
/// 1000; a bare K, M, G or T is a power of 1024, as in nccl-tests. A unit is required.
[[nodiscard]] Parsed<Bytes> parse_bytes(std::string_view text);
/// Like parse_bytes(), but a number without a unit is in bytes: "8", "4K", "512M", "8 GiB".
[[nodiscard]] Parsed<Bytes> parse_size(std::string_view text);
/// Reads "400 Gb/s", "50 GB/s" or "200 Mb/s"; b means bits and B means bytes. A unit is required.
[[nodiscard]] Parsed<Bandwidth> parse_bandwidth(std::string_view text);
/// Reads "2 us", "150 ns", "1.5 ms", "3 s" or "500 ps". A unit is required.
[[nodiscard]] Parsed<Time> parse_time(std::string_view text);

/// Reads a count: "128", "300k", "1.5M", "15T". k, M, G (or B) and T are powers of 1000.
[[nodiscard]] Parsed<std::int64_t> parse_count(std::string_view text);

/// The shortest text from which the same value is parsed ("400 Gb/s", "64 KiB", "1.5 us").
[[nodiscard]] std::string to_text(Time time);
[[nodiscard]] std::string to_text(Bytes bytes);
[[nodiscard]] std::string to_text(Bandwidth bandwidth);

/// Regular expressions (ECMA-262) of the non-negative texts that the parsers accept, for JSON
/// Schema.
[[nodiscard]] std::string bytes_pattern();
[[nodiscard]] std::string bandwidth_pattern();
[[nodiscard]] std::string time_pattern();

}  // namespace railyard::core

namespace railyard {
using core::Bandwidth;
using core::Bytes;
using core::Time;

/// Literals with units for tests and tables: 400_Gbps, 50_GBps, 64_KiB, 2_us.
namespace literals {
constexpr Bytes operator""_B(unsigned long long n) { return Bytes(static_cast<std::int64_t>(n)); }
constexpr Bytes operator""_KiB(unsigned long long n) {
  return Bytes(static_cast<std::int64_t>(n) << 10);
}
constexpr Bytes operator""_MiB(unsigned long long n) {
  return Bytes(static_cast<std::int64_t>(n) << 20);
}
constexpr Bytes operator""_GiB(unsigned long long n) {
  return Bytes(static_cast<std::int64_t>(n) << 30);
}
constexpr Bytes operator""_MB(unsigned long long n) {
  return Bytes(static_cast<std::int64_t>(n) * 1'000'000);
}
constexpr Bytes operator""_GB(unsigned long long n) {
  return Bytes(static_cast<std::int64_t>(n) * 1'000'000'000);
}
constexpr Time operator""_ps(unsigned long long n) {
  return Time::picoseconds(static_cast<std::int64_t>(n));
}
constexpr Time operator""_ns(unsigned long long n) {
  return Time::nanoseconds(static_cast<std::int64_t>(n));
}
constexpr Time operator""_us(unsigned long long n) {
  return Time::microseconds(static_cast<std::int64_t>(n));
}
constexpr Time operator""_ms(unsigned long long n) {
  return Time::milliseconds(static_cast<std::int64_t>(n));
}
constexpr Bandwidth operator""_Gbps(unsigned long long n) {
  return Bandwidth::gigabits_per_second(static_cast<std::int64_t>(n));
}
constexpr Bandwidth operator""_GBps(unsigned long long n) {
  return Bandwidth::gigabytes_per_second(static_cast<std::int64_t>(n));
}
}  // namespace literals
}  // namespace railyard
