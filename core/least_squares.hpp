#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace railyard::core {

/// Robust nonlinear least squares with parameters that are positive. Minimises
///
///     sum over i of  w_i s^2 log(1 + (r_i / s)^2)  +  sum over k of  p_k log(1 + m_k^2)
///
/// with residuals r_i(x) and m_k = log(x_k / start_k), in log x by Levenberg and Marquardt's
/// method. Both are Cauchy's loss, for which an outlier counts ever less: a residual beyond s, and
/// a parameter that the rows put more than a factor e from where it starts. Each iteration weighs
/// residuals by w_i / (1 + (r_i / s)^2) and priors by p_k / (1 + m_k^2).
struct FitProblem {
  std::vector<double> start{};  ///< x, each > 0
  std::vector<double> from{};   ///< where the search begins; empty: at start
  /// The largest x, by parameter, at least where the search begins; empty: no bounds. A step beyond
  /// one ends at it.
  std::vector<double> highest{};
  std::vector<double> prior{};    ///< p, by parameter: how strongly it is held to where it starts
  std::vector<double> weights{};  ///< w, by residual
  /// Residuals that depend on each parameter, ascending. One without any stays where it is.
  std::vector<std::vector<std::uint32_t>> rows{};
  /// Residual i at x.
  std::function<double(std::span<const double> x, std::uint32_t i)> residual;
  double scale = 0.1;  ///< s
  /// Of the differences that give derivatives, in log x. Larger where residuals have small jumps,
  /// as those of a simulation have.
  double step = 1e-3;
  int iterations = 40;
};

/// Where it ended.
struct Fit {
  std::vector<double> x{};
  /// Standard error of log x_k from the residuals, without its own prior but with those of the
  /// others; infinite where they do not tell the parameter.
  std::vector<double> error{};
  /// Largest |d r_i / d log x_k| by parameter.
  std::vector<double> sensitivity{};
  double cost = 0;
  int iterations = 0;
};

[[nodiscard]] Fit least_squares(const FitProblem& problem);

/// The same where the start may be far off, so that all residuals look like outliers: first with
/// ten times the scale, which is nearly plain least squares, then from there with the scale itself.
[[nodiscard]] Fit least_squares_from_afar(FitProblem problem);

/// The inverse of a symmetric positive definite matrix (rows after one another), by Cholesky's
/// method; empty where it is not positive definite.
[[nodiscard]] std::vector<double> inverse_of(std::span<const double> matrix, std::size_t size);

}  // namespace railyard::core
