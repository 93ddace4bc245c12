#include "placement/capacity/budget/ownership.hpp"

#include <cmath>
#include <limits>

#include "core/duration.hpp"

namespace railyard::placement {
namespace {
constexpr double kHoursPerYear = core::kSecondsPerYear / 3600;
}  // namespace

double hourly_cost(const Ownership& o) {
  const double annuity = o.interest > 0
                             ? o.price * o.interest / (1 - std::pow(1 + o.interest, -o.years))
                             : o.price / o.years;
  return annuity / (kHoursPerYear * o.use);
}

double break_even_years(const Ownership& o, double rent, double running) {
  const double saved = (rent - running) * kHoursPerYear * o.use;
  const double never = std::numeric_limits<double>::infinity();
  if (!(saved > 0)) return never;
  if (!(o.interest > 0)) return o.price / saved;
  const double part = o.price * o.interest / saved;
  return part < 1 ? std::log(1 / (1 - part)) / std::log(1 + o.interest) : never;
}

}  // namespace railyard::placement
