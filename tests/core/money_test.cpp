#include "core/money.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace railyard::core {
namespace {

TEST(Money, NeedsACurrencyAndTakesLargeUnits) {
  EXPECT_EQ(*parse_money("$20M").value, (Money{20e6, "USD"}));
  EXPECT_EQ(*parse_money("2.5 USD").value, (Money{2.5, "USD"}));
  EXPECT_EQ(*parse_money("EUR 300k").value, (Money{300e3, "EUR"}));
  EXPECT_EQ(*parse_money("€2.5").value, (Money{2.5, "EUR"}));
  EXPECT_EQ(*parse_money("£ 3k").value, (Money{3e3, "GBP"}));
  EXPECT_EQ(*parse_money("20e6 CHF").value, (Money{20e6, "CHF"}));
  for (const char* wrong : {"20M", "$", "$-3", "dollars", "$3 EUR", "3 eur", ""})
    EXPECT_FALSE(parse_money(wrong).value) << wrong;
  EXPECT_EQ(parse_money("2.5").error,
            "'2.5' has no currency; write '$2.5' in single quotes, or '2.5 EUR'");
}

TEST(Money, TakesAnAssumedCurrency) {
  EXPECT_EQ(*parse_money("2.5", "EUR").value, (Money{2.5, "EUR"}));
  EXPECT_EQ(*parse_money("$2.5", "EUR").value, (Money{2.5, "USD"}));
  EXPECT_EQ(*parse_money("20K", "").value, (Money{20e3, ""}));
  for (const char* wrong : {"", "cheap", "-1", "nan", "1e999", "2.5x"})
    EXPECT_FALSE(parse_money(wrong, "USD").value) << wrong;
}

TEST(Money, AmountsHaveOneCurrency) {
  const Money dollars{1, "USD"}, euros{1, "EUR"}, unknown{1, ""};
  EXPECT_EQ(*common_currency(std::vector{unknown, dollars}).value, "USD");
  EXPECT_EQ(*common_currency(std::vector{unknown}).value, "");
  EXPECT_EQ(common_currency(std::vector{euros, unknown, dollars}).error,
            "contains two currencies, EUR and USD");
}

TEST(Money, PrintsThreeDigits) {
  EXPECT_EQ(to_text(Money{3.94e6, "USD"}), "$3.94M");
  EXPECT_EQ(to_text(Money{0.5, "EUR"}), "0.5 EUR");
}

TEST(Count, PrintsThreeDigits) {
  EXPECT_EQ(count_text(15e12), "15T");
  EXPECT_EQ(count_text(0.5e9), "500M");
}

}  // namespace
}  // namespace railyard::core
