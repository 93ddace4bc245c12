#pragma once

#include <fmt/format.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>
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
                                    doc = "Price and power of one item, with sources.";
  template <class Visitor>
  static void list(Visitor& field) {
    constexpr core::FieldOptions kMoney{.minimum = 0};
    field("price", &T::price, kMoney, "price, in the currency of the list");
    field("per", &T::per, "unit of the price");
    field("low", &T::low, kMoney, "low end of the likely range of the price");
    field("high", &T::high, kMoney, "high end of the likely range of the price");
    field("power", &T::power, "electrical power of one item");
    field("power_low", &T::power_low, "low end of the likely range of the power");
    field("power_high", &T::power_high, "high end of the likely range of the power");
    field("date", &T::date, core::required, "date of the source: 2024-05");
    field("source", &T::source, core::required, "source of the price, or method of the estimate");
    field("power_source", &T::power_source, "source of the power");
    field("estimate", &T::estimate, "the price is an estimate; requires low and high");
    field("power_estimate", &T::power_estimate,
          "the power is an estimate; requires power_low and power_high");
  }
  static void check(const T& item, core::Problems& problems) {
    if (!item.price && !item.power) problems.add("price", "an item needs a price or a power");
    check_range(item.price, item.low, item.high, {"price", "low", "high"}, item.estimate, problems);
    check_range(item.power, item.power_low, item.power_high, {"power", "power_low", "power_high"},
                item.power_estimate, problems);
    if (item.power && item.power_source.empty())
      problems.add("power_source", "a power needs its source");
  }

 private:
  /// Keys of a value and the ends of its range.
  struct Keys {
    std::string_view value, low, high;
  };
  /// The range must contain the value, and an estimate must have a range.
  template <class Value>
  static void check_range(const std::optional<Value>& value, const std::optional<Value>& low,
                          const std::optional<Value>& high, const Keys& keys, bool is_estimate,
                          core::Problems& problems) {
    if (low && high && *low > *high)
      problems.add(keys.low, fmt::format("is greater than {}", keys.high),
                   fmt::format("swap {} and {}", keys.low, keys.high));
    if (value && low && *value < *low)
      problems.add(keys.low, fmt::format("is greater than {}", keys.value),
                   fmt::format("lower it to at most {}", keys.value));
    if (value && high && *value > *high)
      problems.add(keys.high, fmt::format("is less than {}", keys.value),
                   fmt::format("raise it to at least {}", keys.value));
    if (value && is_estimate && !(low && high))
      problems.add(low ? keys.high : keys.low,
                   fmt::format("an estimated {} needs a range", keys.value),
                   fmt::format("give {} and {}", keys.low, keys.high));
  }
};

template <>
struct core::Fields<placement::PriceList> {
  using T = placement::PriceList;
  static constexpr std::string_view name = "PriceList",
                                    doc = "Prices and electrical power of cluster parts.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("name", &T::name, core::required, "name of the list");
    field("currency", &T::currency, core::required, "currency: USD, EUR, ...");
    field("items", &T::items, core::required, "items by kind and model: switch/quantum2, nic/400G");
  }
};

// Instantiated once, in the source file: the templates behind a description are large.
extern template const core::StructType& core::struct_type<placement::PriceItem>();
extern template const core::StructType& core::struct_type<placement::PriceList>();

}  // namespace railyard
