#pragma once

namespace railyard::placement {

/// A GPU that is bought, with its share of node and network.
struct Ownership {
  double price = 0;     ///< in any currency
  double years = 4;     ///< years of use
  double interest = 0;  ///< interest rate per year
  double use = 1;       ///< fraction of the time in which it works
};

/// Cost of an hour of work of a bought GPU, without electricity: the annuity
///   price · i / (1 - (1 + i)^-n) per year, divided by 8,766 · use hours
/// Example: 30,000 over 4 years at 6 %: 8,657.7 per year; 0.9877 per hour at full use.
[[nodiscard]] double hourly_cost(const Ownership& owned);

/// Years of use after which buying is cheaper than renting at `rent` per hour. `running`: other
/// cost of the bought GPU per hour (electricity). Without interest: price / yearly saving. With
/// interest i: ln(1 / (1 - price · i / saving)) / ln(1 + i). Infinite if buying is never cheaper.
[[nodiscard]] double break_even_years(const Ownership& owned, double rent, double running);

}  // namespace railyard::placement
