#pragma once

#include <map>
#include <string>
#include <vector>

namespace railyard::placement {

/// The currency of a plan: that of the first amount that it reads.
class Currency {
 public:
  /// The amount of a flag's text. Throws InputError at the flag where it is no money, or is in
  /// another currency than an amount before.
  [[nodiscard]] double amount(const std::string& text, const char* flag);
  /// The amount of a config. Throws InputError where it is in another currency; `what` describes
  /// it, and `flag` replaces it.
  [[nodiscard]] double amount(double amount, const std::string& currency, const std::string& what,
                              const char* flag);
  /// "": no amount was read.
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  std::string name_{};
};

/// A note that the price of a GPU-hour is an example: "price of H100: 2.5 USD per GPU-hour, ...".
[[nodiscard]] std::string example_price_note(const std::string& gpu, double per_hour,
                                             const std::string& currency);

/// Reads the rent of a GPU-hour by candidate. The rent of a candidate ("NAME=$2.2") counts before
/// that of all ("$2.5"). Throws InputError at `flag`: an unknown name, no money, 0.
[[nodiscard]] std::map<std::string, double> parse_rents(const std::vector<std::string>& texts,
                                                        const std::vector<std::string>& candidates,
                                                        Currency& currency, const char* flag);

}  // namespace railyard::placement
