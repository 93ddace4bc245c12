#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/config/parsed.hpp"

namespace railyard::core {

/// An amount of money. Currencies do not convert.
struct Money {
  double amount = 0;
  std::string currency{};  ///< "USD"
  friend bool operator==(const Money&, const Money&) = default;
};

/// "$20M", "2.5 USD", "EUR 300k", "20e6 USD": a currency is required ($, € and £, or
/// three capital letters); k, M and B multiply. Negative amounts are errors.
[[nodiscard]] Parsed<Money> parse_money(std::string_view text);
/// As above, but an amount without a currency is in `assumed` ("": in a currency that is not
/// known).
[[nodiscard]] Parsed<Money> parse_money(std::string_view text, std::string_view assumed);
/// The currency of all amounts; "" where none of them has one. An error where two differ.
[[nodiscard]] Parsed<std::string> common_currency(std::span<const Money> amounts);
/// "$3.9M", "420k EUR"; three digits.
[[nodiscard]] std::string to_text(const Money& money);

/// "15T", "300B"; three digits.
[[nodiscard]] std::string count_text(double count);

}  // namespace railyard::core

namespace railyard {
using core::Money;
}
