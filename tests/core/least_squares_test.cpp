#include "core/least_squares.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace railyard::core {
namespace {

/// log(model / measured) of times a + b s at sizes s = 1 ... 8.
FitProblem line(const std::vector<double>& measured) {
  FitProblem problem;
  problem.start = {1.0, 1.0};
  problem.prior = {1e-9, 1e-9};
  problem.weights.assign(measured.size(), 1.0);
  std::vector<std::uint32_t> all(measured.size());
  std::iota(all.begin(), all.end(), 0u);
  problem.rows = {all, all};
  problem.residual = [measured](std::span<const double> x, std::uint32_t i) {
    return std::log((x[0] + x[1] * (i + 1)) / measured[i]);
  };
  return problem;
}

TEST(LeastSquares, FindsTheLineThatTheDataLieOn) {
  std::vector<double> measured;
  for (int s = 1; s <= 8; ++s) measured.push_back(2 + 0.5 * s);
  const Fit fit = least_squares(line(measured));
  EXPECT_NEAR(fit.x[0], 2.0, 1e-3);
  EXPECT_NEAR(fit.x[1], 0.5, 1e-3);
  EXPECT_LT(fit.error[0], 1e-3);
}

TEST(LeastSquares, AnOutlierOfTenTimesMovesNothingFar) {
  std::vector<double> measured;
  for (int s = 1; s <= 8; ++s) measured.push_back(2 + 0.5 * s);
  measured[3] *= 10;
  const Fit fit = least_squares(line(measured));
  EXPECT_NEAR(fit.x[0], 2.0, 0.1);
  EXPECT_NEAR(fit.x[1], 0.5, 0.05);
}

TEST(LeastSquares, APriorLetsGoOfWhatTheRowsPutFarAway) {
  // One row says 100 of what starts at 1: m = 4.6. The prior pulls by 2 p m / (1 + m^2) = 0.0041,
  // which a residual of half of that holds (a prior of m^2 would pull by 2 p m = 0.092: 93.6).
  FitProblem problem;
  problem.start = {1.0};
  problem.from = {50.0};
  problem.prior = {0.01};
  problem.weights = {1.0};
  problem.rows = {{0}};
  problem.residual = [](std::span<const double> x, std::uint32_t) { return std::log(x[0] / 100); };
  EXPECT_NEAR(least_squares(problem).x[0], 100 * std::exp(-0.0041 / 2), 0.02);
}

TEST(LeastSquares, AParameterThatNoResidualDependsOnStaysAndSaysSo) {
  FitProblem problem = line({3, 3, 3});
  problem.start.push_back(7);
  problem.prior.push_back(1e-3);
  problem.rows.emplace_back();
  const Fit fit = least_squares(problem);
  EXPECT_DOUBLE_EQ(fit.x[2], 7);
  EXPECT_TRUE(std::isinf(fit.error[2]));
}

TEST(LeastSquares, TwoParametersThatOnlyActAsAProductHaveNoErrorOfTheirOwn) {
  FitProblem problem = line({4, 4, 4, 4});
  problem.residual = [](std::span<const double> x, std::uint32_t) {
    return std::log(x[0] * x[1] / 4);
  };
  const Fit fit = least_squares(problem);
  EXPECT_NEAR(fit.x[0] * fit.x[1], 4, 1e-3);
  EXPECT_NEAR(fit.x[0], fit.x[1], 1e-6) << "the prior treats both alike: 2 and 2";
  // Without its own prior either is as free as the other's prior leaves it: 1e-9 is no hold. The
  // residuals are zero here, so that only their slope counts; a spread of 10 % shows it.
}

TEST(LeastSquares, InverseOfATwoByTwoMatrix) {
  // [4 2; 2 3]: determinant 8, inverse [3 -2; -2 4] / 8.
  const std::vector<double> matrix{4, 2, 2, 3};
  const auto inverse = inverse_of(matrix, 2);
  ASSERT_EQ(inverse.size(), 4u);
  EXPECT_NEAR(inverse[0], 0.375, 1e-12);
  EXPECT_NEAR(inverse[1], -0.25, 1e-12);
  EXPECT_NEAR(inverse[3], 0.5, 1e-12);
  EXPECT_TRUE(inverse_of(std::vector<double>{1, 2, 2, 1}, 2).empty()) << "not positive definite";
}

}  // namespace
}  // namespace railyard::core
