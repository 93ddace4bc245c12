#include "core/least_squares.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace railyard::core {
namespace {

/// Lower triangle L with L Lᵀ = matrix; empty where there is none.
std::vector<double> cholesky(std::span<const double> matrix, std::size_t n) {
  std::vector<double> lower(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = matrix[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= lower[i * n + k] * lower[j * n + k];
      if (i != j) {
        lower[i * n + j] = sum / lower[j * n + j];
      } else if (sum > 1e-14 * std::max(matrix[i * n + i], 1e-300)) {
        lower[i * n + i] = std::sqrt(sum);
      } else {
        return {};
      }
    }
  }
  return lower;
}

std::vector<double> solve(std::span<const double> lower, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= lower[i * n + k] * b[k];
    b[i] /= lower[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) b[i] -= lower[k * n + i] * b[k];
    b[i] /= lower[i * n + i];
  }
  return b;
}

using Residuals = std::vector<double>;

Residuals residuals_at(const FitProblem& problem, std::span<const double> x) {
  Residuals all(problem.weights.size());
  for (std::uint32_t i = 0; i < all.size(); ++i) all[i] = problem.residual(x, i);
  return all;
}

double cost_of(const FitProblem& problem, const Residuals& r, std::span<const double> x) {
  double cost = 0;
  for (std::size_t i = 0; i < r.size(); ++i) {
    const double q = r[i] / problem.scale;
    cost += problem.weights[i] * problem.scale * problem.scale * std::log1p(q * q);
  }
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double moved = std::log(x[k] / problem.start[k]);
    cost += problem.prior[k] * std::log1p(moved * moved);
  }
  return cost;
}

/// d r_i / d log x_k for the residuals that depend on k, by differences.
std::vector<double> slopes(const FitProblem& problem, std::span<const double> x, const Residuals& r,
                           std::size_t k) {
  std::vector<double> moved(x.begin(), x.end());
  moved[k] *= std::exp(problem.step);
  double step = problem.step;
  if (!problem.highest.empty() && moved[k] > problem.highest[k]) {
    step = -step;
    moved[k] = x[k] * std::exp(step);
  }
  std::vector<double> out;
  out.reserve(problem.rows[k].size());
  for (const std::uint32_t i : problem.rows[k])
    out.push_back((problem.residual(moved, i) - r[i]) / step);
  return out;
}

/// JᵀWJ and JᵀWr without the prior.
struct Normal {
  std::vector<double> matrix, gradient, sensitivity;
};

Normal normal_equations(const FitProblem& problem, std::span<const double> x, const Residuals& r) {
  const std::size_t n = x.size();
  Normal normal{std::vector<double>(n * n, 0.0), std::vector<double>(n, 0.0),
                std::vector<double>(n, 0.0)};
  // By residual: the few parameters that it depends on.
  std::vector<std::vector<std::pair<std::uint32_t, double>>> by_row(r.size());
  for (std::size_t k = 0; k < n; ++k) {
    const auto column = slopes(problem, x, r, k);
    for (std::size_t j = 0; j < column.size(); ++j) {
      if (column[j] == 0) continue;
      by_row[problem.rows[k][j]].emplace_back(static_cast<std::uint32_t>(k), column[j]);
      normal.sensitivity[k] = std::max(normal.sensitivity[k], std::fabs(column[j]));
    }
  }
  for (std::size_t i = 0; i < r.size(); ++i) {
    const double q = r[i] / problem.scale;
    const double weight = problem.weights[i] / (1 + q * q);
    for (const auto& [a, slope_a] : by_row[i]) {
      normal.gradient[a] += weight * slope_a * r[i];
      for (const auto& [b, slope_b] : by_row[i])
        normal.matrix[a * n + b] += weight * slope_a * slope_b;
    }
  }
  return normal;
}

/// The weight p_k / (1 + m_k^2) of each parameter's prior at x. A parameter that the residuals move
/// by much more than a factor e is nearly free.
std::vector<double> holds(const FitProblem& problem, std::span<const double> x) {
  std::vector<double> holds;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double moved = std::log(x[k] / problem.start[k]);
    holds.push_back(problem.prior[k] / (1 + moved * moved));
  }
  return holds;
}

/// log x after one step: (JᵀWJ + P + lambda diag) d = -(JᵀWr + P log(x / start)).
std::vector<double> stepped(const FitProblem& problem, const Normal& normal,
                            std::span<const double> x, double lambda) {
  const std::size_t n = x.size();
  std::vector<double> matrix = normal.matrix, right(n);
  const auto prior = holds(problem, x);
  for (std::size_t k = 0; k < n; ++k) {
    const double own = normal.matrix[k * n + k] + prior[k];
    matrix[k * n + k] = own * (1 + lambda) + 1e-12;
    right[k] = -(normal.gradient[k] + prior[k] * std::log(x[k] / problem.start[k]));
  }
  const auto lower = cholesky(matrix, n);
  if (lower.empty()) return {};
  const auto move = solve(lower, std::move(right));
  std::vector<double> next(x.begin(), x.end());
  for (std::size_t k = 0; k < n; ++k) {
    next[k] *= std::exp(std::clamp(move[k], -0.7, 0.7));
    if (!problem.highest.empty()) next[k] = std::min(next[k], problem.highest[k]);
  }
  return next;
}

/// sqrt(variance · Cₖₖ), the variance being the weighted mean of the squared residuals. C is the
/// inverse of JᵀWJ + P without k's own prior: with M = JᵀWJ + P it is M⁻¹ₖₖ / (1 − pₖ M⁻¹ₖₖ)
/// (Sherman and Morrison).
std::vector<double> standard_errors(const FitProblem& problem, const Normal& normal,
                                    const Residuals& r, std::span<const double> x) {
  const std::size_t n = problem.start.size();
  const auto prior = holds(problem, x);
  double sum = 0, weights = 0;
  for (std::size_t i = 0; i < r.size(); ++i) {
    const double q = r[i] / problem.scale;
    const double weight = problem.weights[i] / (1 + q * q);
    sum += weight * r[i] * r[i];
    weights += weight;
  }
  const double mean_square = weights > 0 ? sum / weights : 0;
  const double mean_weight = r.empty() ? 1 : weights / static_cast<double>(r.size());
  std::vector<double> matrix = normal.matrix;
  for (std::size_t k = 0; k < n; ++k) matrix[k * n + k] += prior[k];
  const auto inverse = inverse_of(matrix, n);
  std::vector<double> errors(n, std::numeric_limits<double>::infinity());
  for (std::size_t k = 0; k < n && !inverse.empty(); ++k) {
    const double held = inverse[k * n + k], free = 1 - prior[k] * held;
    // What is left after the own prior is taken off must be more than rounding.
    if (normal.sensitivity[k] > 0 && free > 1e-9)
      errors[k] = std::sqrt(mean_square * mean_weight * held / free);
  }
  return errors;
}

}  // namespace

std::vector<double> inverse_of(std::span<const double> matrix, std::size_t size) {
  const auto lower = cholesky(matrix, size);
  if (lower.empty()) return {};
  std::vector<double> inverse(size * size);
  for (std::size_t k = 0; k < size; ++k) {
    std::vector<double> unit(size, 0.0);
    unit[k] = 1;
    const auto column = solve(lower, std::move(unit));
    for (std::size_t i = 0; i < size; ++i) inverse[i * size + k] = column[i];
  }
  return inverse;
}

Fit least_squares(const FitProblem& problem) {
  Fit fit{.x = problem.from.empty() ? problem.start : problem.from,
          .error = {},
          .sensitivity = {},
          .cost = 0,
          .iterations = 0};
  Residuals r = residuals_at(problem, fit.x);
  fit.cost = cost_of(problem, r, fit.x);
  double lambda = 1e-2;
  for (; fit.iterations < problem.iterations; ++fit.iterations) {
    const Normal normal = normal_equations(problem, fit.x, r);
    const double before = fit.cost;
    // `lambda` is a damping factor, not a loop counter: it grows until a step lowers the cost.
    // NOLINTNEXTLINE(clang-analyzer-security.FloatLoopCounter)
    for (; lambda < 1e8; lambda *= 5) {
      const auto next = stepped(problem, normal, fit.x, lambda);
      if (next.empty()) continue;
      Residuals there = residuals_at(problem, next);
      const double cost = cost_of(problem, there, next);
      if (!(cost < fit.cost)) continue;
      fit.x = next;
      fit.cost = cost;
      r = std::move(there);
      lambda = std::max(lambda / 10, 1e-7);
      break;
    }
    if (before - fit.cost < 1e-7 * before) break;
  }
  const Normal normal = normal_equations(problem, fit.x, r);
  fit.sensitivity = normal.sensitivity;
  fit.error = standard_errors(problem, normal, r, fit.x);
  return fit;
}

Fit least_squares_from_afar(FitProblem problem) {
  const double scale = problem.scale;
  problem.scale = 10 * scale;
  problem.from = least_squares(problem).x;
  problem.scale = scale;
  return least_squares(problem);
}

}  // namespace railyard::core
