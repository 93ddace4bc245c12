#include "core/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/config/with_unit.hpp"
#include "core/trimmed.hpp"

namespace railyard::core {

// Parses and prints text with units. Decimal text is read exactly: "1.1 us" is 1,100,000 ps, not
// 1,099,999.
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

namespace {

struct Unit {
  std::string_view name;
  std::int64_t factor;  ///< in the smallest unit (byte, bit/s, ps)
};

/// The first is a bare number. Bare letters are powers of two, as in nccl-tests.
constexpr std::array kSizeUnits{
    Unit{"", 1},
    Unit{"B", 1},
    Unit{"KiB", std::int64_t{1} << 10},
    Unit{"MiB", std::int64_t{1} << 20},
    Unit{"GiB", std::int64_t{1} << 30},
    Unit{"TiB", std::int64_t{1} << 40},
    Unit{"PiB", std::int64_t{1} << 50},
    Unit{"kB", 1'000},
    Unit{"KB", 1'000},
    Unit{"MB", 1'000'000},
    Unit{"GB", 1'000'000'000},
    Unit{"TB", 1'000'000'000'000},
    Unit{"PB", 1'000'000'000'000'000},
    Unit{"K", std::int64_t{1} << 10},
    Unit{"k", std::int64_t{1} << 10},
    Unit{"M", std::int64_t{1} << 20},
    Unit{"m", std::int64_t{1} << 20},
    Unit{"G", std::int64_t{1} << 30},
    Unit{"g", std::int64_t{1} << 30},
    Unit{"T", std::int64_t{1} << 40},
    Unit{"t", std::int64_t{1} << 40},
};
constexpr std::span<const Unit> kByteUnits = std::span<const Unit>(kSizeUnits).subspan(1);

constexpr std::array kCountUnits{
    Unit{"", 1},
    Unit{"k", 1'000},
    Unit{"K", 1'000},
    Unit{"M", 1'000'000},
    Unit{"G", 1'000'000'000},
    Unit{"B", 1'000'000'000},
    Unit{"T", 1'000'000'000'000},
};

constexpr std::array kBandwidthUnits{
    Unit{"b/s", 1},
    Unit{"kb/s", 1'000},
    Unit{"Kb/s", 1'000},
    Unit{"Mb/s", 1'000'000},
    Unit{"Gb/s", 1'000'000'000},
    Unit{"Tb/s", 1'000'000'000'000},
    Unit{"B/s", 8},
    Unit{"kB/s", 8'000},
    Unit{"KB/s", 8'000},
    Unit{"MB/s", 8'000'000},
    Unit{"GB/s", 8'000'000'000},
    Unit{"TB/s", 8'000'000'000'000},
    Unit{"MiB/s", std::int64_t{8} << 20},
    Unit{"GiB/s", std::int64_t{8} << 30},
};

constexpr std::array kTimeUnits{
    Unit{"ps", 1},
    Unit{"ns", 1'000},
    Unit{"us", 1'000'000},
    Unit{"µs", 1'000'000},
    Unit{"ms", 1'000'000'000},
    Unit{"s", 1'000'000'000'000},
    Unit{"min", 60'000'000'000'000},
    Unit{"h", 3'600'000'000'000'000},
};

/// What a kind of quantity is called and which units it takes.
struct Quantity {
  std::string_view what;     ///< "a size"
  std::string_view example;  ///< "'64 KiB' or '80 GB'"
  std::string_view smallest;
  bool rounds;     ///< a fraction of the smallest unit is rounded, not refused
  bool exponents;  ///< 1.5e13 is a number
  std::span<const Unit> units;
};

constexpr Quantity kBytes{"a size", "'64 KiB' or '80 GB'", "byte", false, false, kByteUnits};
constexpr Quantity kSize{"a size", "'8', '4K', '512M' or '8 GiB'", "byte", false, true, kSizeUnits};
constexpr Quantity kCount{"a count", "'128', '300k' or '15T'", "unit", false, true, kCountUnits};
constexpr Quantity kBandwidth{
    "a bandwidth", "'400 Gb/s' or '50 GB/s'", "bit per second", true, false, kBandwidthUnits};
constexpr Quantity kTime{"a time", "'2 us' or '150 ns'", "picosecond", true, false, kTimeUnits};

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// A decimal number as it is written: ±digits / 10^scale, and the text behind it.
struct Decimal {
  bool negative = false;
  std::uint64_t digits = 0;
  int scale = 0;
  int count = 0;  ///< digits read, leading zeros included
  bool too_long = false;
  std::string_view rest;
};

Decimal read_decimal(std::string_view text) {
  // 19 digits hold every int64 and stay below 2^64.
  constexpr int kMaxSignificant = 19;
  Decimal number;
  if (text.starts_with('-') || text.starts_with('+')) {
    number.negative = text.front() == '-';
    text.remove_prefix(1);
  }
  bool fraction = false;
  int significant = 0;
  for (; !text.empty(); text.remove_prefix(1)) {
    const char c = text.front();
    if (c == '.' && !fraction) {
      fraction = true;
      continue;
    }
    if (!is_digit(c)) break;
    ++number.count;
    if (number.digits != 0 || c != '0' || fraction) ++significant;
    number.too_long = significant > kMaxSignificant;
    if (number.too_long) break;
    number.digits = number.digits * 10 + static_cast<std::uint64_t>(c - '0');
    if (fraction) ++number.scale;
  }
  number.rest = text;
  return number;
}

/// Takes "e13" from the text behind a number, where there is one and the number stays exact.
void read_exponent(Decimal& number) {
  constexpr int kMaxScale = 19;
  std::string_view text = number.rest;
  if (!text.starts_with('e') && !text.starts_with('E')) return;
  text.remove_prefix(1);
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || !is_digit(text.front())) return;
  int exponent = 0;
  for (; !text.empty() && is_digit(text.front()); text.remove_prefix(1))
    exponent = std::min(1000, exponent * 10 + (text.front() - '0'));
  number.rest = text;
  number.scale += negative ? exponent : -exponent;
  for (; number.scale < 0 && !number.too_long; ++number.scale) {
    number.too_long = number.digits > std::numeric_limits<std::uint64_t>::max() / 10;
    if (number.digits == 0) number.scale = -1;
    number.digits *= 10;
  }
  number.too_long = number.too_long || number.scale > kMaxScale;
}

/// The unit whose name differs in upper and lower case only; "": none.
std::string_view in_other_case(std::string_view name, std::span<const Unit> units) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  for (const Unit& unit : units)
    if (std::ranges::equal(unit.name, name, {}, lower, lower)) return unit.name;
  return "";
}

std::string unit_names(std::span<const Unit> units) {
  std::string names;
  for (const Unit& unit : units) {
    if (unit.name.empty()) continue;
    if (!names.empty()) names += ", ";
    names += unit.name;
  }
  return names;
}

Parsed<std::int64_t> failed(std::string error) { return {std::nullopt, std::move(error)}; }

/// The number in the smallest unit of the quantity. It must be exact, unless the quantity allows
/// rounding (half away from zero).
Parsed<std::int64_t> scaled(const Decimal& number, const Unit& unit, std::string_view text,
                            const Quantity& quantity) {
  using Wide = unsigned __int128;
  // digits < 2^64 and factor <= 2^53, so the product fits; so does 10^19.
  const Wide product = static_cast<Wide>(number.digits) * static_cast<Wide>(unit.factor);
  Wide divisor = 1;
  for (int i = 0; i < number.scale; ++i) divisor *= 10;
  if (!quantity.rounds && product % divisor != 0)
    return failed(fmt::format("'{}' is not a whole number of {}s", text, quantity.smallest));
  const Wide magnitude = (product + divisor / 2) / divisor;
  if (magnitude > static_cast<Wide>(std::numeric_limits<std::int64_t>::max()))
    return failed(fmt::format("'{}' is too large for {}", text, quantity.what));
  const auto value = static_cast<std::int64_t>(magnitude);
  return {number.negative ? -value : value, {}};
}

Parsed<std::int64_t> parse(std::string_view original, const Quantity& quantity) {
  const std::string_view text = trimmed(original);
  Decimal number = read_decimal(text);
  if (quantity.exponents && number.count > 0) read_exponent(number);
  if (number.count == 0)
    return failed(
        fmt::format("'{}' is not {}; write it as {}", original, quantity.what, quantity.example));
  if (number.too_long)
    return failed(fmt::format("'{}' has more digits than {} can hold", original, quantity.what));
  const std::string_view name = trimmed(number.rest);
  for (const Unit& unit : quantity.units) {
    if (unit.name == name) return scaled(number, unit, original, quantity);
  }
  if (name.empty())
    return failed(
        fmt::format("'{}' has no unit; write {} as {}", original, quantity.what, quantity.example));
  if (const std::string_view other = in_other_case(name, quantity.units); !other.empty())
    return failed(
        fmt::format("'{}' is not a unit of {}; did you mean {}?", name, quantity.what, other));
  return failed(fmt::format("'{}' is not a unit of {}; use one of {}", name, quantity.what,
                            unit_names(quantity.units)));
}

/// value / factor as an exact decimal, or "" if that needs more than `kMaxFraction` digits.
std::string exact_quotient(std::uint64_t magnitude, std::uint64_t factor) {
  constexpr int kMaxFraction = 12;
  std::string text = std::to_string(magnitude / factor);
  unsigned __int128 rest = magnitude % factor;
  if (rest != 0) text += '.';
  for (int i = 0; rest != 0; ++i) {
    if (i == kMaxFraction) return "";
    rest *= 10;
    text += static_cast<char>('0' + static_cast<int>(rest / factor));
    rest %= factor;
  }
  return text;
}

/// The shortest exact text of a value in one of the `units` (ascending) whose number is at least 1.
/// If two texts have the same length, the larger unit is used.
std::string shortest(std::int64_t value, std::span<const Unit> units) {
  const bool negative = value < 0;
  const auto magnitude =
      negative ? ~static_cast<std::uint64_t>(value) + 1 : static_cast<std::uint64_t>(value);
  std::string best;
  for (const Unit& unit : units) {
    const auto factor = static_cast<std::uint64_t>(unit.factor);
    if (magnitude != 0 && magnitude < factor && !best.empty()) continue;
    const std::string number = exact_quotient(magnitude, factor);
    if (number.empty()) continue;
    std::string text = fmt::format("{}{} {}", negative ? "-" : "", number, unit.name);
    if (best.empty() || text.size() <= best.size()) best = std::move(text);
  }
  return best;
}

template <class Value, class Make>
Parsed<Value> converted(const Parsed<std::int64_t>& parsed, Make make) {
  if (!parsed.value) return {std::nullopt, parsed.error};
  return {make(*parsed.value), {}};
}

std::string pattern(std::span<const Unit> units) {
  std::vector<std::string_view> names;
  names.reserve(units.size());
  for (const Unit& unit : units) names.push_back(unit.name);
  return unit_pattern(names);
}

constexpr std::array kPrintedTimes{
    Unit{"ps", 1},
    Unit{"ns", 1'000},
    Unit{"us", 1'000'000},
    Unit{"ms", 1'000'000'000},
    Unit{"s", 1'000'000'000'000},
};

constexpr std::array kPrintedBytes{
    Unit{"B", 1},
    Unit{"kB", 1'000},
    Unit{"KiB", std::int64_t{1} << 10},
    Unit{"MB", 1'000'000},
    Unit{"MiB", std::int64_t{1} << 20},
    Unit{"GB", 1'000'000'000},
    Unit{"GiB", std::int64_t{1} << 30},
    Unit{"TB", 1'000'000'000'000},
    Unit{"TiB", std::int64_t{1} << 40},
};

/// Bits only: the field writes network rates so, and one rate should have one spelling.
constexpr std::array kPrintedBandwidths{
    Unit{"b/s", 1},
    Unit{"kb/s", 1'000},
    Unit{"Mb/s", 1'000'000},
    Unit{"Gb/s", 1'000'000'000},
};

}  // namespace

Parsed<Bytes> parse_bytes(std::string_view text) {
  return converted<Bytes>(parse(text, kBytes), [](std::int64_t n) { return Bytes(n); });
}

Parsed<Bytes> parse_size(std::string_view text) {
  return converted<Bytes>(parse(text, kSize), [](std::int64_t n) { return Bytes(n); });
}

Parsed<std::int64_t> parse_count(std::string_view text) { return parse(text, kCount); }

Parsed<Bandwidth> parse_bandwidth(std::string_view text) {
  return converted<Bandwidth>(parse(text, kBandwidth),
                              [](std::int64_t n) { return Bandwidth::bits_per_second(n); });
}

Parsed<Time> parse_time(std::string_view text) {
  return converted<Time>(parse(text, kTime), [](std::int64_t n) { return Time::picoseconds(n); });
}

std::string bytes_pattern() { return pattern(kByteUnits); }

std::string bandwidth_pattern() { return pattern(kBandwidthUnits); }

std::string time_pattern() { return pattern(kTimeUnits); }

std::string to_text(Time time) { return shortest(time.picoseconds(), kPrintedTimes); }

std::string to_text(Bytes bytes) { return shortest(bytes.count(), kPrintedBytes); }

std::string to_text(Bandwidth bandwidth) {
  return shortest(bandwidth.bits_per_second(), kPrintedBandwidths);
}

}  // namespace railyard::core
