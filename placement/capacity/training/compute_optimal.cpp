#include "placement/capacity/training/compute_optimal.hpp"

#include <cmath>

namespace railyard::placement {

double compute_optimal_tokens(double parameters) {
  // arXiv 2203.15556, table 3: the exponent is ln(21.2e12 / 20.2e9) / ln(1000).
  constexpr double kTokens = 20.2e9, kParameters = 1e9, kExponent = 1.007;
  return kTokens * std::pow(parameters / kParameters, kExponent);
}

}  // namespace railyard::placement
