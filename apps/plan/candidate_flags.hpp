#pragma once

#include <map>
#include <string>
#include <vector>

#include "apps/cli/flags.hpp"

namespace railyard::apps {

/// Adds --candidates, for plans that choose among clusters.
void add_candidates_flag(FlagSet app, std::vector<std::string>& candidates);
/// Adds --price: the rent of a GPU-hour, for all candidates or for one.
[[nodiscard]] Flag add_rent_flag(FlagSet app, std::vector<std::string>& price);

/// The currency of a plan: that of its first amount.
class Currency {
 public:
  /// The amount of a flag's text. Throws InputError at the flag if it is not an amount of money, or
  /// if its currency differs from that of an earlier amount.
  [[nodiscard]] double amount(const std::string& text, const char* flag);
  /// The amount of a config. Throws InputError with `what` if its currency differs.
  [[nodiscard]] double amount(double amount, const std::string& currency, const std::string& what);
  /// "" if no amount was read.
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  std::string name_{};
};

/// Reads --price: the rent of a GPU-hour by candidate. A candidate's price ("NAME=$2.2") overrides
/// the price for all ("$2.5"). Throws InputError for an unknown name, an invalid amount, or 0.
[[nodiscard]] std::map<std::string, double> rents_of(const std::vector<std::string>& texts,
                                                     const std::vector<std::string>& candidates,
                                                     Currency& currency);

}  // namespace railyard::apps
