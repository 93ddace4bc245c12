#pragma once

#include <map>
#include <string>
#include <vector>

#include "apps/cli/flags.hpp"

namespace railyard::apps {

/// --candidates of plans that choose among clusters.
void add_candidates_flag(FlagSet app, std::vector<std::string>& candidates);
/// --price: the rent of a GPU-hour, for all candidates or for one.
[[nodiscard]] Flag add_rent_flag(FlagSet app, std::vector<std::string>& price);

/// The currency of a plan: that of the first amount that it reads.
class Currency {
 public:
  /// The amount of a flag's text. Throws InputError at the flag where it is no money, or is in
  /// another currency than an amount before.
  [[nodiscard]] double amount(const std::string& text, const char* flag);
  /// The amount of a config. Throws InputError where it is in another currency; `what` names it.
  [[nodiscard]] double amount(double amount, const std::string& currency, const std::string& what);
  /// "": no amount was read.
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  std::string name_{};
};

/// Reads --price: the rent of a GPU-hour by candidate. The price of a candidate ("NAME=$2.2")
/// counts before that of all ("$2.5"). Throws InputError: an unknown name, no money, 0.
[[nodiscard]] std::map<std::string, double> rents_of(const std::vector<std::string>& texts,
                                                     const std::vector<std::string>& candidates,
                                                     Currency& currency);

}  // namespace railyard::apps
