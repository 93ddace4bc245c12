#include "placement/capacity/price_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "core/config/config_path.hpp"
#include "core/diagnostic.hpp"
#include "placement/capacity/price_list_fields.hpp"
#include "placement/capacity/read_price_list.hpp"

namespace railyard::placement {
namespace {

using testing::HasSubstr;

PriceList two_items() {
  return {.name = "two",
          .currency = "USD",
          .items = {{"switch/a", {.price = 100, .low = 50, .date = "2024", .source = "x"}},
                    {"switch/b", {.price = 200, .date = "2024", .source = "y", .estimate = true}}}};
}

std::string refusal(PriceList list, const std::string& text) {
  const std::vector<std::string> texts{text};
  try {
    override_prices(list, texts, "--price");
  } catch (const InputError& error) {
    return to_text(error.diagnostics().front());
  }
  return "";
}

TEST(PriceList, EveryShippedItemHasDateAndSource) {
  for (const std::string& name : core::config_names("prices")) {
    const PriceList list = read_price_list(name);
    EXPECT_FALSE(list.items.empty());
    for (const auto& [item, figures] : list.items) {
      EXPECT_FALSE(figures.date.empty()) << name << " " << item;
      EXPECT_FALSE(figures.source.empty()) << name << " " << item;
    }
  }
}

TEST(PriceList, EveryShippedSwitchHasAPrice) {
  const PriceList list = read_price_list("network");
  for (const std::string& name : core::config_names("switches"))
    EXPECT_TRUE(list.items.contains("switch/" + name) || name == "omnipath_100") << name;
}

// Both marks have their range; without one the list is wrong. read_price_list() checks that too.
TEST(PriceList, EveryEstimateHasARange) {
  const PriceList list = read_price_list("network");
  int prices = 0, powers = 0;
  for (const auto& [name, item] : list.items) {
    if (item.estimate) {
      ++prices;
      EXPECT_TRUE(item.low < item.price && item.price < item.high) << name;
    }
    const bool says_so = item.power_source.starts_with("estimate");
    EXPECT_TRUE(item.power_estimate || !says_so) << name;
    if (item.power_estimate) {
      ++powers;
      EXPECT_TRUE(item.power_low < item.power && item.power < item.power_high) << name;
    }
  }
  EXPECT_GT(prices, 0);
  EXPECT_GT(powers, 0);
  for (const char* name :
       {"switch/quantum_hdr", "switch/quantum_edr", "switch/quantum_x800", "switch/tomahawk3",
        "switch/tomahawk4", "switch/tomahawk6", "switch/arista_7800r3", "switch/omnipath_100"})
    EXPECT_TRUE(item_of(list, name).estimate && item_of(list, name).power_estimate) << name;
}

std::string wrong_item(const std::string& text) {
  try {
    (void)core::read_config_text<PriceItem>(text, "prices.json");
  } catch (const InputError& error) {
    return to_text(error.diagnostics().front());
  }
  return "";
}

TEST(PriceList, AnEstimateWithoutARangeIsWrong) {
  const std::string start = R"({"date": "2024", "source": "x", )";
  EXPECT_EQ(wrong_item(start + R"("price": 3, "low": 2, "high": 4, "estimate": true})"), "");
  EXPECT_THAT(wrong_item(start + R"("price": 3, "estimate": true})"),
              HasSubstr("/low: an estimated price needs a range"));
  EXPECT_THAT(wrong_item(start + R"("power": "3 W", "power_source": "y", "power_low": "1 W",
                                   "power_estimate": true})"),
              HasSubstr("/power_high: an estimated power needs a range"));
  EXPECT_THAT(wrong_item(start + R"("price": 3, "low": 4})"),
              HasSubstr("/low: is greater than price"));
}

TEST(PriceList, AnOverrideReplacesPriceRangeAndSource) {
  PriceList list = two_items();
  const std::vector<std::string> texts{"switch/a=70.5"};
  override_prices(list, texts, "--price");
  const PriceItem& item = item_of(list, "switch/a");
  EXPECT_EQ(item.price, 70.5);
  EXPECT_EQ(item.low, std::nullopt);
  EXPECT_EQ(item.source, "--price");
  EXPECT_EQ(item_of(list, "switch/b").price, 200);
  const std::vector<std::string> dollars{"switch/a=$20K", "switch/b=3 USD"};
  override_prices(list, dollars, "--price");
  EXPECT_EQ(item_of(list, "switch/a").price, 20e3);
  EXPECT_EQ(item_of(list, "switch/b").price, 3);
}

TEST(PriceList, WrongOverridesAreRefusedWithWhatWouldBeRight) {
  EXPECT_THAT(refusal(two_items(), "switch/c=1"), HasSubstr("no item 'switch/c'"));
  EXPECT_THAT(refusal(two_items(), "switch/a"), HasSubstr("'switch/a' is not a price"));
  EXPECT_THAT(refusal(two_items(), "switch/a="), HasSubstr("is not a price"));
  EXPECT_THAT(refusal(two_items(), "switch/a=-1"), HasSubstr("an amount in USD"));
  EXPECT_THAT(refusal(two_items(), "switch/a=2 EUR"), HasSubstr("is in EUR, the price lists are"));
  EXPECT_THAT(refusal(two_items(), "switch/a=1e999"), HasSubstr("is not a price"));
  EXPECT_THAT(refusal(two_items(), "switch/a=nan"), HasSubstr("is not a price"));
}

TEST(PriceList, ListsOfTwoCurrenciesAreNotAdded) {
  PriceList list = two_items();
  EXPECT_THROW(add_prices(list, {.name = "euro", .currency = "EUR"}, "--prices"), InputError);
  add_prices(list, {.name = "more", .currency = "USD", .items = {{"switch/a", {.price = 1}}}},
             "--prices");
  EXPECT_EQ(item_of(list, "switch/a").price, 1);
}

TEST(PriceList, AMissingItemIsNamedWithItsNeighbour) {
  try {
    static_cast<void>(item_of(two_items(), "switch/aa"));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("switch/a"));
  }
}

}  // namespace
}  // namespace railyard::placement
