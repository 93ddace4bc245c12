#pragma once

#include <array>
#include <utility>

#include "core/config/fields.hpp"
#include "placement/capacity/price_list.hpp"

namespace railyard {

template <>
struct core::EnumNames<placement::PricePer> {
  using E = placement::PricePer;
  static constexpr std::array<std::pair<E, std::string_view>, 5> table{
      {{E::each, "each"},
       {E::metre, "m"},
       {E::hour, "hour"},
       {E::kilowatt_hour, "kWh"},
       {E::gigabit_per_second, "Gb/s"}}};
};

template <>
struct core::Fields<placement::PriceItem> {
  using T = placement::PriceItem;
  static constexpr std::string_view name = "PriceItem",
                                    doc = "Price and power of one thing, with their sources.";
  template <class Visitor>
  static void list(Visitor& field) {
    constexpr core::FieldOptions kMoney{.minimum = 0};
    field("price", &T::price, kMoney, "in the currency of the list");
    field("per", &T::per, "the quantity that the price is for");
    field("low", &T::low, kMoney, "low end of the likely range of the price");
    field("high", &T::high, kMoney, "high end of the likely range of the price");
    field("power", &T::power, "electrical power of one");
    field("date", &T::date, core::required, "of the source: 2024-05");
    field("source", &T::source, core::required, "where the price is from, or how it was estimated");
    field("power_source", &T::power_source, "where the power is from");
    field("estimate", &T::estimate, "there is no public price");
  }
  static void check(const T& item, core::Problems& problems) {
    if (!item.price && !item.power) problems.add("price", "an item needs a price or a power");
    if (item.low && item.high && *item.low > *item.high)
      problems.add("low", "is greater than high", "swap low and high");
    if (item.price && item.low && *item.price < *item.low)
      problems.add("low", "is greater than the price", "lower it to at most the price");
    if (item.price && item.high && *item.price > *item.high)
      problems.add("high", "is less than the price", "raise it to at least the price");
    if (item.power && item.power_source.empty())
      problems.add("power_source", "a power needs its source");
  }
};

template <>
struct core::Fields<placement::PriceList> {
  using T = placement::PriceList;
  static constexpr std::string_view name = "PriceList",
                                    doc = "Prices and electrical power of the parts of clusters.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("name", &T::name, core::required, "what the list covers");
    field("currency", &T::currency, core::required, "USD, EUR, ...");
    field("items", &T::items, core::required, "by kind and model: switch/quantum2, nic/400G");
  }
};

// Instantiated once, in the source file: the templates behind a description are large.
extern template const core::StructType& core::struct_type<placement::PriceItem>();
extern template const core::StructType& core::struct_type<placement::PriceList>();

}  // namespace railyard
