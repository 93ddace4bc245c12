#include "placement/capacity/price_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "core/config/config_path.hpp"
#include "core/diagnostic.hpp"
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

TEST(PriceList, AnOverrideReplacesPriceRangeAndSource) {
  PriceList list = two_items();
  const std::vector<std::string> texts{"switch/a=70.5"};
  override_prices(list, texts, "--price");
  const PriceItem& item = item_of(list, "switch/a");
  EXPECT_EQ(item.price, 70.5);
  EXPECT_EQ(item.low, std::nullopt);
  EXPECT_EQ(item.source, "--price");
  EXPECT_EQ(item_of(list, "switch/b").price, 200);
}

TEST(PriceList, WrongOverridesAreRefusedWithWhatWouldBeRight) {
  EXPECT_THAT(refusal(two_items(), "switch/c=1"), HasSubstr("no item 'switch/c'"));
  EXPECT_THAT(refusal(two_items(), "switch/a"), HasSubstr("'switch/a' is not a price"));
  EXPECT_THAT(refusal(two_items(), "switch/a="), HasSubstr("is not a price"));
  EXPECT_THAT(refusal(two_items(), "switch/a=-1"), HasSubstr("a number in USD"));
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
