#include "placement/capacity/price_list.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <vector>

#include "core/diagnostic.hpp"

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
    double price = -1;
    const char* const end = text.data() + text.size();
    const char* const begin = equals == std::string::npos ? end : text.data() + equals + 1;
    const auto parsed = std::from_chars(begin, end, price);
    if (parsed.ec != std::errc() || parsed.ptr != end || !std::isfinite(price) || price < 0) {
      problems.add(flag, fmt::format("'{}' is not a price of at least 0", text),
                   fmt::format("write '{}=20000', a number in {}", name, list.currency));
      continue;
    }
    PriceItem& item = found->second;
    item.price = price;
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
