#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/power.hpp"

namespace railyard::placement {

/// What a price refers to.
enum class PricePer { each, metre, hour, kilowatt_hour, gigabit_per_second };

/// Price and electrical power of one item that a cluster consists of or uses.
struct PriceItem {
  std::optional<double> price{};  ///< in the currency of the list
  PricePer per = PricePer::each;
  std::optional<double> low{}, high{};  ///< range of the price
  std::optional<Power> power{};
  std::optional<Power> power_low{}, power_high{};  ///< range of the power
  std::string date{};                              ///< date of the source: "2024-05"
  std::string source{};                            ///< source of the price
  std::string power_source{};
  bool estimate = false;        ///< no public price; `source` explains the estimate
  bool power_estimate = false;  ///< no public figure of the power
};

/// configs/prices/*.json. Items are named by kind and model: "switch/quantum2", "nic/400G",
/// "gpu/h100_sxm", "electricity".
struct PriceList {
  std::string name{};
  std::string currency{};  ///< "USD"
  std::map<std::string, PriceItem> items{};
};

/// Adds the items of `more` to `list`, replacing items of the same name. Throws InputError at
/// `pointer` if the currencies differ.
void add_prices(PriceList& list, const PriceList& more, const std::string& pointer);

/// Sets prices from texts such as "switch/quantum2=20000" or "switch/quantum2=$20K", which the user
/// gave to `flag`. The flag becomes the source of these prices. Throws InputError for a malformed
/// text, a negative price, another currency, and an item that the list does not contain.
void override_prices(PriceList& list, std::span<const std::string> texts, const std::string& flag);

/// The item of that name. Throws InputError with similar names if the list does not contain it.
[[nodiscard]] const PriceItem& item_of(const PriceList& list, const std::string& name);

}  // namespace railyard::placement
