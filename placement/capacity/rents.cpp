#include "placement/capacity/rents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/config/enum_names.hpp"
#include "core/diagnostic.hpp"
#include "core/money.hpp"

namespace railyard::placement {

double Currency::amount(const std::string& text, const char* flag) {
  const auto money = core::parse_money(text);
  if (!money.value) throw InputError("", flag, money.error, "'$20M', '2.5 USD'");
  if (!name_.empty() && money.value->currency != name_)
    throw InputError("", flag,
                     fmt::format("{} is in {}, others in {}", text, money.value->currency, name_),
                     "one currency for all amounts");
  name_ = money.value->currency;
  return money.value->amount;
}

double Currency::amount(double amount, const std::string& currency, const std::string& what,
                        const char* flag) {
  if (!name_.empty() && currency != name_)
    throw InputError("", flag, fmt::format("{} is in {}, others in {}", what, currency, name_),
                     "one currency for all amounts");
  name_ = currency;
  return amount;
}

std::string example_price_note(const std::string& gpu, double per_hour,
                               const std::string& currency) {
  return fmt::format(
      "price of {}: {:.3g} {} per GPU-hour, an example from its config; set yours with --price",
      gpu, per_hour, currency);
}

std::map<std::string, double> parse_rents(const std::vector<std::string>& texts,
                                          const std::vector<std::string>& candidates,
                                          Currency& currency, const char* flag) {
  std::map<std::string, double> rents;
  const std::vector<std::string_view> names(candidates.begin(), candidates.end());
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    const std::string name = equals == std::string::npos ? "" : text.substr(0, equals);
    const double rent =
        currency.amount(equals == std::string::npos ? text : text.substr(equals + 1), flag);
    if (!(rent > 0)) throw InputError("", flag, "is 0", "'$2.5'");
    if (!name.empty() && std::ranges::find(names, name) == names.end())
      throw InputError("", flag, core::unknown_name(name, names));
    if (!name.empty()) rents[name] = rent;
    if (name.empty())
      for (const std::string& candidate : candidates) rents.try_emplace(candidate, rent);
  }
  return rents;
}

}  // namespace railyard::placement
