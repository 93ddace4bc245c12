#include "placement/capacity/price_list.hpp"

#include <fmt/format.h>

#include <vector>

#include "core/diagnostic.hpp"
#include "core/money.hpp"

namespace railyard::placement {
namespace {

std::vector<std::string_view> item_names(const PriceList& list) {
  std::vector<std::string_view> names;
  for (const auto& [name, item] : list.items) names.push_back(name);
  return names;
}

}  // namespace

void add_prices(PriceList& list, const PriceList& more, const std::string& pointer) {
  if (list.currency.empty()) list.currency = more.currency;
  if (more.currency != list.currency) {
    throw InputError("", pointer,
                     fmt::format("prices of '{}' are in {}, the others in {}", more.name,
                                 more.currency, list.currency),
                     "convert them to one currency");
  }
  for (const auto& [name, item] : more.items) list.items[name] = item;
}

void override_prices(PriceList& list, std::span<const std::string> texts, const std::string& flag) {
  Diagnostics problems("");
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    const auto found = list.items.find(name);
    if (found == list.items.end()) {
      std::string hint = core::did_you_mean(name, item_names(list));
      if (hint.empty()) hint = "write ITEM=PRICE, such as 'switch/quantum2=20000'";
      problems.add(flag, fmt::format("the price lists have no item '{}'", name), std::move(hint));
      continue;
    }
    const std::string amount = equals == std::string::npos ? "" : text.substr(equals + 1);
    const core::Parsed<Money> price = core::parse_money(amount, list.currency);
    if (!price.value || price.value->currency != list.currency) {
      problems.add(
          flag,
          price.value ? fmt::format("'{}' is in {}, the price lists are in {}", text,
                                    price.value->currency, list.currency)
                      : fmt::format("'{}' is not a price of at least 0", text),
          fmt::format("write '{}=20000' or '{}=20K', an amount in {}", name, name, list.currency));
      continue;
    }
    PriceItem& item = found->second;
    item.price = price.value->amount;
    item.low = item.high = std::nullopt;
    item.source = flag;
    item.date.clear();
    item.estimate = false;
  }
  problems.throw_if_any();
}

const PriceItem& item_of(const PriceList& list, const std::string& name) {
  const auto found = list.items.find(name);
  if (found != list.items.end()) return found->second;
  std::string hint = core::did_you_mean(name, item_names(list));
  throw InputError("", "--prices", fmt::format("the price lists have no item '{}'", name),
                   hint.empty() ? "add it in a list of your own (configs/prices shows the form)"
                                : std::move(hint));
}

}  // namespace railyard::placement
