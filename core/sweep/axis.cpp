#include "core/sweep/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/diagnostic.hpp"
#include "core/trimmed.hpp"

namespace railyard::core::sweep {
namespace {

constexpr std::string_view kSizes = "KMGT";
constexpr std::size_t kMostValues = 1'000'000;

/// A number and the text after it.
struct Amount {
  double number = 0;
  std::string unit;
  bool is_whole = false;
};

std::optional<Amount> amount_of(std::string_view text) {
  Amount amount;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), amount.number);
  if (error != std::errc() || !std::isfinite(amount.number)) return std::nullopt;
  const std::string_view digits = text.substr(0, static_cast<std::size_t>(end - text.data()));
  amount.unit = std::string(text.substr(digits.size()));
  amount.is_whole =
      digits.find_first_of(".eE") == std::string_view::npos && std::abs(amount.number) <= 0x1p53;
  return amount;
}

/// 4096 for "4K"; nothing for other units.
std::optional<double> size_of(const Amount& amount) {
  if (amount.unit.empty()) return amount.number;
  const std::size_t power = amount.unit.size() == 1 ? kSizes.find(amount.unit) : kSizes.npos;
  if (power == kSizes.npos) return std::nullopt;
  return amount.number * std::exp2(10.0 * static_cast<double>(power + 1));
}

/// "4K" if that is exact.
std::string size_text(double bytes) {
  std::size_t power = 0;
  for (; bytes != 0 && std::fmod(bytes, 1024) == 0 && power < kSizes.size(); ++power) bytes /= 1024;
  return power == 0 ? fmt::format("{:.0f}", bytes)
                    : fmt::format("{:.0f}{}", bytes, kSizes[power - 1]);
}

/// A range "A..B" and the text after it, as written.
struct RangeText {
  Amount least, most;
  std::string_view step;  ///< "+2", "*4", "log" or ""
};

class Reader {
 public:
  Reader(std::string_view field, const std::string& flag) : field_(field), flag_(flag) {}

  void add(std::string_view text, Axis& axis) const {
    const auto range = range_of(text);
    if (!range) {
      axis.values.emplace_back(text);
    } else if (range->step.empty() && !(range->least.is_whole && range->most.is_whole)) {
      add_interval(*range, false, axis);
    } else if (range->step == "log") {
      add_interval(*range, true, axis);
    } else {
      add_steps(text, *range, axis);
    }
    if (axis.values.size() > kMostValues)
      fail(fmt::format("'{}' has more than {} values", text, kMostValues), "use a larger step");
  }

  [[noreturn]] void fail(std::string message, std::string hint) const {
    throw InputError("", flag_, fmt::format("{}: {}", field_, message), std::move(hint));
  }

 private:
  /// Only two numbers with ".." between them are a range; "../file" is a value.
  [[nodiscard]] static std::optional<RangeText> range_of(std::string_view text) {
    const std::size_t dots = text.find("..");
    if (dots == std::string_view::npos) return std::nullopt;
    const std::size_t colon = std::min(text.find(':', dots), text.size());
    const auto least = amount_of(text.substr(0, dots));
    const auto most = amount_of(text.substr(dots + 2, colon - dots - 2));
    if (!least || !most) return std::nullopt;
    return RangeText{*least, *most, text.substr(std::min(colon + 1, text.size()))};
  }

  void add_interval(const RangeText& range, bool is_logarithmic, Axis& axis) const {
    if (range.least.unit != range.most.unit)
      fail("the ends of a range need the same unit", "100 Gb/s..400 Gb/s");
    if (is_logarithmic && range.least.number <= 0)
      fail("a logarithmic range must begin above 0", "0.1..10:log");
    if (range.least.number > range.most.number) fail_order();
    if (axis.interval || !axis.values.empty())
      fail("an interval of real numbers cannot be part of a list", "give it alone");
    axis.interval =
        Interval{range.least.number, range.most.number, range.least.unit, is_logarithmic};
  }

  void add_steps(std::string_view text, const RangeText& range, Axis& axis) const {
    const bool multiplies = range.step.starts_with('*');
    double step = 1;
    if (!range.step.empty()) {
      const auto amount = amount_of(range.step.substr(1));
      // An additive step may have the unit of the ends, or be a size.
      const bool has_unit = amount && (amount->unit.empty() || amount->unit == range.most.unit);
      const auto size = amount ? size_of(*amount) : std::nullopt;
      if ((!multiplies && !range.step.starts_with('+')) ||
          (multiplies && !(amount && amount->unit.empty())) || (!has_unit && !size))
        fail(fmt::format("the step of '{}' is missing", text),
             "2..64:+2, 1M..1G:*4, or 0.1..10:log");
      step = size ? *size : amount->number;
    }
    if (multiplies ? step <= 1 : step <= 0)
      fail(fmt::format("the step of '{}' must increase the value", text), "+1 or more, *2 or more");
    const bool has_unit = range.least.unit == range.most.unit && !size_of(range.least);
    const auto least = has_unit ? range.least.number : size_of(range.least);
    const auto most = has_unit ? range.most.number : size_of(range.most);
    if (!least || !most) fail("the ends of a range need the same unit", "100 Gb/s..400 Gb/s");
    if (*least > *most) fail_order();
    if (multiplies && *least <= 0) fail("a range with a factor must begin above 0", "1..64:*2");
    const bool is_size = !range.least.unit.empty() || !range.most.unit.empty();
    // Half a step of 1e-9 for sums such as 0.1 + 0.1 + 0.1.
    const double last = *most * (1 + 1e-12);
    for (std::size_t i = 0; i <= kMostValues; ++i) {
      const auto steps = static_cast<double>(i);
      const double value = multiplies ? *least * std::pow(step, steps) : *least + steps * step;
      if (value > last) return;
      axis.values.push_back(is_size && !has_unit
                                ? size_text(std::round(value))
                                : fmt::format("{:.12g}{}", value, range.least.unit));
    }
  }

  [[noreturn]] void fail_order() const { fail("a range must end above its beginning", "2..64"); }

  std::string_view field_;
  const std::string& flag_;
};

}  // namespace

Axis parse_axis(std::string_view text, const std::string& flag) {
  const std::size_t equals = text.find('=');
  Axis axis;
  axis.field = std::string(trimmed(text.substr(0, equals), " "));
  if (axis.field.starts_with("--")) axis.field.erase(0, 2);
  if (equals == std::string_view::npos || axis.field.empty())
    throw InputError("", flag, fmt::format("'{}' has no field or no values", text),
                     "FIELD=VALUE,VALUE,... such as nodes=2,4,8 or "
                     "cluster:/fabric/leaf_oversubscription=1,2");
  const std::string_view list = text.substr(equals + 1);
  const char separator = list.find(';') == std::string_view::npos ? ',' : ';';
  const Reader reader(axis.field, flag);
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(separator, at), list.size());
    if (axis.interval)
      reader.fail("an interval of real numbers cannot be part of a list", "give it alone");
    reader.add(trimmed(list.substr(at, end - at), " "), axis);
    at = end + 1;
  }
  std::vector<std::string> sorted = axis.values;
  std::ranges::sort(sorted);
  const auto twice = std::ranges::adjacent_find(sorted);
  if (twice != sorted.end())
    reader.fail(fmt::format("the value '{}' appears twice", *twice), "give each value once");
  return axis;
}

std::string_view flag_of(std::string_view field) { return field.substr(0, field.find(":/")); }

std::string_view pointer_of(std::string_view field) {
  const std::size_t colon = field.find(":/");
  return colon == std::string_view::npos ? "" : field.substr(colon + 1);
}

}  // namespace railyard::core::sweep
