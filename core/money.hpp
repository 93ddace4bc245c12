#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/config/parsed.hpp"

namespace railyard::core {

/// An amount of money. There is no conversion between currencies.
struct Money {
  double amount = 0;
  std::string currency{};  ///< "USD"
  friend bool operator==(const Money&, const Money&) = default;
};

/// Reads "$20M", "2.5 USD", "EUR 300k" or "20e6 USD". A currency is required: $, €, £ or three
/// capital letters. k, M and B multiply by 1e3, 1e6 and 1e9. Negative amounts are errors.
[[nodiscard]] Parsed<Money> parse_money(std::string_view text);
/// The same, but an amount without a currency has the currency `assumed`; "" means unknown.
[[nodiscard]] Parsed<Money> parse_money(std::string_view text, std::string_view assumed);
/// The common currency of all amounts; "" if none of them has one. An error if two differ.
[[nodiscard]] Parsed<std::string> common_currency(std::span<const Money> amounts);
/// Text with three significant digits: "$3.9M", "420k EUR".
[[nodiscard]] std::string to_text(const Money& money);

/// A count with three significant digits: "15T", "300B".
[[nodiscard]] std::string count_text(double count);

}  // namespace railyard::core

namespace railyard {
using core::Money;
}
