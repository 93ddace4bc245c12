#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/power.hpp"

namespace railyard::placement {

/// The quantity that a price is for.
enum class PricePer { each, metre, hour, kilowatt_hour, gigabit_per_second };

/// The price and the electrical power of one thing that a cluster is made of, or that it uses.
struct PriceItem {
  std::optional<double> price{};  ///< in the currency of the list
  PricePer per = PricePer::each;
  std::optional<double> low{}, high{};  ///< the range in which the price is likely to be
  std::optional<Power> power{};
  std::optional<Power> power_low{}, power_high{};  ///< the range in which the power is likely to be
  std::string date{};                              ///< of the source: "2024-05"
  std::string source{};                            ///< of the price
  std::string power_source{};
  bool estimate = false;        ///< there is no public price; `source` says how it was estimated
  bool power_estimate = false;  ///< there is no public figure of the power
};

/// configs/prices/*.json. Items are named by kind and model: "switch/quantum2", "nic/400G",
/// "gpu/h100_sxm", "electricity".
struct PriceList {
  std::string name{};
  std::string currency{};  ///< "USD"
  std::map<std::string, PriceItem> items{};
};

/// Adds the items of `more` to `list`; an item of both is that of `more`. Throws InputError at
/// `pointer` if the currencies differ.
void add_prices(PriceList& list, const PriceList& more, const std::string& pointer);

/// Sets prices from texts such as "switch/quantum2=20000" or "switch/quantum2=$20K", values of the
/// flag `flag`. Such an item has the flag as its source. Throws InputError for a text of another
/// form, a negative price, another currency, and an item that the list does not have.
void override_prices(PriceList& list, std::span<const std::string> texts, const std::string& flag);

/// The item of that name. Throws InputError with near names if the list does not have it.
[[nodiscard]] const PriceItem& item_of(const PriceList& list, const std::string& name);

}  // namespace railyard::placement
