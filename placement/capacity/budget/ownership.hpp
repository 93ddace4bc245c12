#pragma once

namespace railyard::placement {

/// A GPU that is bought, with its share of node and network.
struct Ownership {
  double price = 0;     ///< in any currency
  double years = 4;     ///< of use
  double interest = 0;  ///< per year
  double use = 1;       ///< share of the time in which it has work
};

/// What an hour of work of a bought GPU costs, without electricity: the annuity
///   price · i / (1 - (1 + i)^-n) a year, over 8,766 · use hours.
/// Example: 30,000 over 4 years at 6 %: 8,657.7 a year; 0.9877 an hour at full use.
[[nodiscard]] double hourly_cost(const Ownership& owned);

/// Years of use from which buying is cheaper than renting at `rent` an hour; `running` is what an
/// hour of the bought one costs beside (electricity). Without interest on later years: the price
/// over what a year saves, ln(1 / (1 - price · i / saved)) / ln(1 + i) with interest. Infinite if
/// it never is.
[[nodiscard]] double break_even_years(const Ownership& owned, double rent, double running);

}  // namespace railyard::placement
