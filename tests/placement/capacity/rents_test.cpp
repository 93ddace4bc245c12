#include "placement/capacity/rents.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "core/diagnostic.hpp"

namespace railyard::placement {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

std::map<std::string, double> rents(const std::vector<std::string>& texts) {
  Currency currency;
  return parse_rents(texts, {"a", "b"}, currency, "--price");
}

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Rents, ThePriceOfACandidateCountsBeforeThatOfAllInAnyOrder) {
  EXPECT_THAT(rents({"$2.5"}), ElementsAre(Pair("a", 2.5), Pair("b", 2.5)));
  EXPECT_THAT(rents({"$2.5", "b=$3"}), ElementsAre(Pair("a", 2.5), Pair("b", 3)));
  EXPECT_THAT(rents({"b=$3", "$2.5"}), ElementsAre(Pair("a", 2.5), Pair("b", 3)));
  EXPECT_THAT(rents({"b=$3"}), ElementsAre(Pair("b", 3)));
}

TEST(Rents, APriceIsMoneyAboveZeroOfACandidate) {
  EXPECT_THAT(error_of([] { (void)rents({"$0"}); }), HasSubstr("--price: is 0"));
  EXPECT_THAT(error_of([] { (void)rents({"c=$2"}); }), HasSubstr("'c'"));
  EXPECT_THAT(error_of([] { (void)rents({"2"}); }), HasSubstr("has no currency"));
}

TEST(Rents, AllAmountsAreOfOneCurrency) {
  EXPECT_THAT(error_of([] {
                (void)rents({"a=2 EUR", "b=$2"});
              }),
              HasSubstr("$2 is in USD, others in EUR"));
  Currency currency;
  EXPECT_EQ(currency.name(), "");
  EXPECT_EQ(currency.amount("2 EUR", "--price"), 2);
  EXPECT_EQ(currency.name(), "EUR");
  EXPECT_THAT(
      error_of([&] { (void)currency.amount(2, "USD", "the price in the config of X", "--price"); }),
      HasSubstr("the price in the config of X is in USD, others in EUR"));
  EXPECT_EQ(currency.amount(2, "EUR", "the price in the config of X", "--price"), 2);
}

TEST(Rents, APriceOfAConfigIsNotedAsAnExample) {
  EXPECT_EQ(example_price_note("H100", 2.5, "USD"),
            "price of H100: 2.5 USD per GPU-hour, an example from its config; set yours with "
            "--price");
}

}  // namespace
}  // namespace railyard::placement
