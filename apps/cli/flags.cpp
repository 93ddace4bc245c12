#include "apps/cli/flags.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <CLI/Validators.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>

#include "core/config/enum_names.hpp"
#include "core/units.hpp"

namespace railyard::apps {
namespace {

template <class Validator>
ValueRule rule_of(Validator validator) {
  return ValueRule(std::make_shared<const CLI::Validator>(std::move(validator)));
}

}  // namespace

namespace {

/// A number with an optional k, M, G or T: "15T", "300e9", "0.5"; nothing for other text.
std::optional<double> number_of(std::string_view text) {
  constexpr std::array<std::pair<char, double>, 6> kFactors{
      {{'k', 1e3}, {'K', 1e3}, {'M', 1e6}, {'G', 1e9}, {'B', 1e9}, {'T', 1e12}}};
  double factor = 1;
  for (const auto& [letter, power] : kFactors) {
    if (!text.ends_with(letter)) continue;
    factor = power;
    text.remove_suffix(1);
    break;
  }
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  value *= factor;
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

/// A rule from `test`, which returns an error, or "" for valid values.
template <class Test>
ValueRule rule(std::string description, Test test) {
  return rule_of(CLI::Validator([test](const std::string& text) { return test(text); },
                                std::move(description), ""));
}

ValueRule number_rule(std::string description, std::string wanted, bool (*is_good)(double)) {
  return rule(std::move(description), [wanted, is_good](const std::string& text) -> std::string {
    const auto value = number_of(text);
    return value && is_good(*value) ? "" : fmt::format("'{}' is not {}", text, wanted);
  });
}

}  // namespace

ValueRule in_range(int least, int most) {
  return rule(fmt::format("INT in [{} - {}]", least, most),
              [=](const std::string& text) -> std::string {
                const auto count = core::parse_count(text);
                if (count.value && *count.value >= least && *count.value <= most) return {};
                return fmt::format("'{}' is not a whole number from {} to {}", text, least, most);
              });
}

ValueRule in_range(double least, double most) {
  return rule(fmt::format("FLOAT in [{} - {}]", least, most),
              [=](const std::string& text) -> std::string {
                const auto value = number_of(text);
                if (value && *value >= least && *value <= most) return {};
                return fmt::format("'{}' is not a number from {} to {}", text, least, most);
              });
}

ValueRule positive_number() {
  return number_rule("POSITIVE", "a number above 0", [](double value) { return value > 0; });
}

ValueRule non_negative_number() {
  return number_rule("NONNEGATIVE", "a number from 0 on", [](double value) { return value >= 0; });
}

ValueRule at_least(int least) {
  return rule("", [least](const std::string& text) -> std::string {
    const auto count = core::parse_count(text);
    if (count.value && *count.value >= least) return {};
    return fmt::format("'{}' is not a whole number of at least {}", text, least);
  });
}

ValueRule not_empty() {
  return rule("", [](const std::string& text) -> std::string {
    return text.empty() ? "is empty; leave the flag out, or give it a value" : "";
  });
}

ValueRule one_of(std::initializer_list<std::string_view> values) {
  const std::vector<std::string_view> names(values);
  return rule(fmt::format("{{{}}}", fmt::join(names, ",")),
              [names](const std::string& text) -> std::string {
                if (std::ranges::find(names, text) != names.end()) return {};
                return core::unknown_name(text, names);
              });
}

Flag Flag::type_name(const std::string& name) const { return Flag(option_->type_name(name)); }
Flag Flag::group(const std::string& name) const { return Flag(option_->group(name)); }
Flag Flag::required() const { return Flag(option_->required()); }
Flag Flag::check(const ValueRule& rule) const { return Flag(option_->check(rule.rule())); }
Flag Flag::excludes(Flag other) const { return Flag(option_->excludes(other.option_)); }
Flag Flag::needs(Flag other) const { return Flag(option_->needs(other.option_)); }
Flag Flag::delimiter(char separator) const { return Flag(option_->delimiter(separator)); }
Flag Flag::one_argument() const { return Flag(option_->allow_extra_args(false)); }
Flag Flag::take_all() const { return Flag(option_->take_all()); }
Flag Flag::show_default() const { return Flag(option_->capture_default_str()); }

namespace {

template <class T>
struct Number {};
template <std::integral T>
struct Number<T> {
  static constexpr const char* type = std::is_signed_v<T> ? "INT" : "UINT";
  /// Largest value: rows and provenance have 63-bit integers.
  static constexpr T kMost = static_cast<T>(std::min<std::uint64_t>(
      std::numeric_limits<T>::max(), std::numeric_limits<std::int64_t>::max()));
  /// Counts may end in k, M, G or T. A value outside the range of T is an error.
  static core::Parsed<T> parse(const std::string& text) {
    T exact = 0;
    const char* last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, exact);
    if (end == last && error == std::errc() && exact <= kMost) return {exact, {}};
    const auto count = core::parse_count(text);
    if (count.value && std::in_range<T>(*count.value)) return {static_cast<T>(*count.value), {}};
    if (!count.value && end != last) return {std::nullopt, count.error};
    return {std::nullopt, fmt::format("'{}' is not a whole number from {} to {}", text,
                                      std::numeric_limits<T>::min(), kMost)};
  }
};
template <>
struct Number<double> {
  static constexpr const char* type = "FLOAT";
  static core::Parsed<double> parse(const std::string& text) {
    if (const auto value = number_of(text)) return {value, {}};
    return {std::nullopt, fmt::format("'{}' is not a number", text)};
  }
};
template <class T>
struct Number<std::optional<T>> : Number<T> {};

template <class T>
std::string default_text(const T& value) {
  return fmt::format("{}", value);
}
template <class T>
std::string default_text(const std::optional<T>& value) {
  return value ? default_text(*value) : "";
}

/// Replaces CLI11's conversion, which wraps large numbers and does not support k, M, G and T.
template <class T>
CLI::Option* add_number(CLI::App& app, const std::string& names, T& value,
                        const std::string& help) {
  CLI::Option* option = app.add_option(
      names,
      [&value, name = names.substr(names.rfind(',') + 1)](const CLI::results_t& words) {
        const auto parsed = Number<T>::parse(words.back());
        if (!parsed.value) throw CLI::ValidationError(name, parsed.error);
        value = *parsed.value;
        return true;
      },
      help, false, [&value] { return default_text(value); });
  option->type_name(Number<T>::type);
  option->run_callback_for_default();
  return option;
}

}  // namespace

template <class T>
Flag FlagSet::add_option(const std::string& names, T& value, const std::string& help) const {
  CLI::Option* option = nullptr;
  if constexpr (requires { Number<T>::type; })
    option = add_number(*app_, names, value, help);
  else
    option = app_->add_option(names, value, help);
  if (!heading_.empty()) option->group(heading_);
  return Flag(option);
}

template Flag FlagSet::add_option(const std::string&, int&, const std::string&) const;
template Flag FlagSet::add_option(const std::string&, unsigned&, const std::string&) const;
template Flag FlagSet::add_option(const std::string&, double&, const std::string&) const;
template Flag FlagSet::add_option(const std::string&, std::uint64_t&, const std::string&) const;
template Flag FlagSet::add_option(const std::string&, std::string&, const std::string&) const;
template Flag FlagSet::add_option(const std::string&, std::optional<int>&,
                                  const std::string&) const;
template Flag FlagSet::add_option(const std::string&, std::optional<std::uint64_t>&,
                                  const std::string&) const;
template Flag FlagSet::add_option(const std::string&, std::vector<int>&, const std::string&) const;
template Flag FlagSet::add_option(const std::string&, std::optional<double>&,
                                  const std::string&) const;
template Flag FlagSet::add_option(const std::string&, std::vector<std::string>&,
                                  const std::string&) const;
template Flag FlagSet::add_option(const std::string&, std::vector<double>&,
                                  const std::string&) const;

Flag FlagSet::add_flag(const std::string& names, bool& value, const std::string& help) const {
  CLI::Option* option = app_->add_flag(names, value, help);
  if (!heading_.empty()) option->group(heading_);
  return Flag(option);
}

FlagSet FlagSet::under(std::string heading) const {
  FlagSet some = *this;
  some.heading_ = std::move(heading);
  return some;
}

Flag FlagSet::option(const std::string& name) const { return Flag(app_->get_option(name)); }
void FlagSet::footer(std::string_view text) const {
  if (text.starts_with('\n')) text.remove_prefix(1);
  app_->footer(std::string(text));
}

FlagSet FlagSet::add_subcommand(std::string_view name, std::string_view summary) const {
  return FlagSet(*app_->add_subcommand(std::string(name), std::string(summary)));
}

void FlagSet::require_subcommand() const { app_->require_subcommand(1); }
FlagSet FlagSet::parent() const { return FlagSet(*app_->get_parent()); }
bool FlagSet::was_named() const { return app_->parsed(); }

}  // namespace railyard::apps
