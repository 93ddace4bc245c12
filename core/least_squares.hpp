#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace railyard::core {

/// Robust nonlinear least squares for positive parameters x. Minimises
///
///     sum over i of  w_i s^2 log(1 + (r_i / s)^2)  +  sum over k of  p_k log(1 + m_k^2)
///
/// with residuals r_i(x), residual scale s and m_k = log(x_k / start_k), by the Levenberg-Marquardt
/// method in log x. The first sum is Cauchy's loss: a residual much larger than s (an outlier) has
/// little influence. The second sum is a prior that holds x_k near start_k; it weakens in the same
/// way once the data move x_k by more than a factor e. Each iteration weighs residual i by w_i / (1
/// + (r_i / s)^2) and the prior of k by p_k / (1 + m_k^2).
struct FitProblem {
  std::vector<double> start{};  ///< start_k, each > 0; also the centre of the prior
  std::vector<double> from{};   ///< x at which the search begins; empty: at start
  /// Upper bound of each x, at least as large as the x at which the search begins. A step beyond a
  /// bound ends at the bound. Empty: no bounds.
  std::vector<double> highest{};
  std::vector<double> prior{};    ///< p_k: strength of the prior of each parameter
  std::vector<double> weights{};  ///< w_i: weight of each residual
  /// For each parameter, the residuals that depend on it, ascending. A parameter without residuals
  /// keeps its value.
  std::vector<std::vector<std::uint32_t>> rows{};
  /// Returns residual i at x.
  std::function<double(std::span<const double> x, std::uint32_t i)> residual;
  double scale = 0.1;  ///< s
  /// Step in log x of the finite differences that approximate derivatives. Use a larger step if
  /// residuals have small jumps, as simulated times do.
  double step = 1e-3;
  int iterations = 40;
};

/// The result of least_squares().
struct Fit {
  std::vector<double> x{};
  /// Standard error of log x_k, from the residuals and the priors of the other parameters, but
  /// without the prior of k itself. Infinite if the residuals do not determine x_k.
  std::vector<double> error{};
  /// Largest |d r_i / d log x_k| over all i, for each parameter k.
  std::vector<double> sensitivity{};
  double cost = 0;
  int iterations = 0;
};

[[nodiscard]] Fit least_squares(const FitProblem& problem);

/// Least squares for a start that may be far from the solution, where all residuals would look like
/// outliers. Runs first with ten times the scale (nearly ordinary least squares), then from that
/// result with the scale of `problem`.
[[nodiscard]] Fit least_squares_from_afar(FitProblem problem);

/// The inverse of a symmetric positive definite matrix (row-major, size x size) by Cholesky
/// decomposition. Empty if the matrix is not positive definite.
[[nodiscard]] std::vector<double> inverse_of(std::span<const double> matrix, std::size_t size);

}  // namespace railyard::core
