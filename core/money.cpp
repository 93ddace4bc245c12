#include "core/money.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "core/trimmed.hpp"

namespace railyard::core {
namespace {

/// A number of at least 0 at the start of the text, which is removed with the spaces after it.
std::optional<double> take_number(std::string_view& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number) || number < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  text = trimmed(text, " ");
  return number;
}

using Unit = std::pair<char, double>;

/// The factor of the first letter, which is taken; 1 where it is none of the units.
double take_factor(std::string_view& text, std::span<const Unit> units) {
  if (text.empty() || (text.size() > 1 && text[1] != ' ')) return 1;
  for (const auto& [letter, factor] : units) {
    if (text.front() != letter) continue;
    text = trimmed(text.substr(1), " ");
    return factor;
  }
  return 1;
}

constexpr std::array<Unit, 4> kMoneyUnits{{{'k', 1e3}, {'K', 1e3}, {'M', 1e6}, {'B', 1e9}}};
constexpr std::array<Unit, 4> kCountUnits{{{'K', 1e3}, {'M', 1e6}, {'B', 1e9}, {'T', 1e12}}};

constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kSigns{
    {{"$", "USD"}, {"€", "EUR"}, {"£", "GBP"}}};

bool is_currency(std::string_view text) {
  return text.size() == 3 && std::ranges::all_of(text, [](char c) { return c >= 'A' && c <= 'Z'; });
}

/// With the largest of the units that leaves at least one: 3.94M.
std::string shortened(double value, std::span<const Unit> units) {
  for (auto unit = units.rbegin(); unit != units.rend(); ++unit)
    if (value >= unit->second * 0.9995)
      return fmt::format("{:.3g}{}", value / unit->second, unit->first);
  return fmt::format("{:.3g}", value);
}

}  // namespace

Parsed<Money> parse_money(std::string_view whole, std::string_view assumed) {
  std::string_view text = trimmed(whole, " ");
  Money money;
  const auto sign =
      std::ranges::find_if(kSigns, [&](const auto& one) { return text.starts_with(one.first); });
  if (sign != kSigns.end()) {
    money.currency = sign->second;
    text.remove_prefix(sign->first.size());
  } else if (text.size() > 3 && is_currency(text.substr(0, 3))) {
    money.currency = text.substr(0, 3);
    text.remove_prefix(3);
  }
  text = trimmed(text, " ");
  const auto number = take_number(text);
  if (!number)
    return {std::nullopt,
            fmt::format("'{}' is not an amount of money; write it as '$20M' (in single quotes) or "
                        "'2.5 USD'",
                        whole)};
  money.amount = *number * take_factor(text, kMoneyUnits);
  if (money.currency.empty() && is_currency(text)) {
    money.currency = text;
    text = {};
  }
  if (!text.empty())
    return {std::nullopt,
            fmt::format("'{}' is not an amount of money: '{}' does not belong to it", whole, text)};
  if (money.currency.empty()) money.currency = assumed;
  return {money, {}};
}

Parsed<Money> parse_money(std::string_view text) {
  Parsed<Money> money = parse_money(text, "");
  if (money.value && money.value->currency.empty())
    return {std::nullopt,
            fmt::format("'{}' has no currency; write '${}' in single quotes, or '{} EUR'", text,
                        text, text)};
  return money;
}

Parsed<std::string> common_currency(std::span<const Money> amounts) {
  std::string currency;
  for (const Money& money : amounts) {
    if (!currency.empty() && !money.currency.empty() && money.currency != currency)
      return {std::nullopt,
              fmt::format("contains two currencies, {} and {}", currency, money.currency)};
    if (currency.empty()) currency = money.currency;
  }
  return {currency, {}};
}

std::string to_text(const Money& money) {
  const std::string amount = shortened(money.amount, kMoneyUnits);
  return money.currency == "USD" ? "$" + amount : amount + " " + money.currency;
}

std::string count_text(double count) { return shortened(count, kCountUnits); }

}  // namespace railyard::core
