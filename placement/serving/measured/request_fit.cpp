#include "placement/serving/measured/request_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>

#include "core/diagnostic.hpp"
#include "core/least_squares.hpp"

namespace railyard::placement::serving {
namespace {

constexpr std::size_t kGroups = 20;
/// Minimum number of requests; fewer cannot separate the parameters of prompts from those of
/// decodes.
constexpr std::size_t kLeast = 20;
/// Largest standard error of a parameter's logarithm. Above it the requests do not determine it.
constexpr double kUncertain = 0.5;

/// Rounded to four digits, as in files of efficiencies.
double rounded(double value) {
  const double scale = std::pow(10.0, 3 - std::floor(std::log10(value)));
  return std::round(value * scale) / scale;
}

/// The simulated service as a function of its efficiencies.
class Service {
 public:
  Service(ServingPlanRequest request, const ServingOption& option)
      : request_(std::move(request)), option_(option) {
    start_ = request_.efficiency.value_or(fitted_efficiency(option.deployment.engine));
    request_.margin = 0;
    for (const EfficiencyParameter& p : efficiency_parameters())
      if (p.applies_to(option.deployment, request_.model.moe.has_value()))
        parameters_.push_back(&p);
  }

  [[nodiscard]] const std::vector<Request>& trace() const { return request_.demand.trace; }
  [[nodiscard]] std::span<const EfficiencyParameter* const> parameters() const {
    return parameters_;
  }
  [[nodiscard]] const StepEfficiency& start() const { return start_; }
  [[nodiscard]] StepEfficiency at(std::span<const double> x) const {
    StepEfficiency e = start_;
    for (std::size_t k = 0; k < x.size(); ++k) e.*parameters_[k]->member = x[k];
    return e;
  }
  [[nodiscard]] std::vector<Served> run(const StepEfficiency& efficiency) {
    request_.efficiency = efficiency;
    return served_requests(request_, option_);
  }
  [[nodiscard]] std::vector<MeasuredComparison> errors(const StepEfficiency& efficiency,
                                                       std::size_t first) {
    const std::vector<Served> served = run(efficiency);
    return compare_with_trace(std::span(trace()).subspan(first), std::span(served).subspan(first));
  }

 private:
  ServingPlanRequest request_;
  const ServingOption& option_;
  StepEfficiency start_{};
  std::vector<const EfficiencyParameter*> parameters_{};
};

/// Fits to the first `count` requests. All requests are simulated.
class FirstRequests {
 public:
  FirstRequests(Service& service, std::size_t count)
      : service_(service), count_(count), groups_(std::min(kGroups, count)) {
    for (const EfficiencyParameter* p : service.parameters()) {
      problem_.start.push_back(service.start().*p->member);
      problem_.highest.push_back(p->most);
    }
    problem_.prior.assign(problem_.start.size(), kEfficiencyPrior);
    problem_.weights.assign(kEach * groups_, 1);
    problem_.step = 0.02;
    problem_.iterations = 12;
    problem_.residual = [this](std::span<const double> x, std::uint32_t i) {
      return residual_at(x, i);
    };
  }
  FirstRequests(const FirstRequests&) = delete;
  FirstRequests& operator=(const FirstRequests&) = delete;

  /// Fits all parameters, then repeats the fit without undetermined ones until all remaining
  /// parameters are determined. The others keep their start value and have an infinite error.
  [[nodiscard]] core::Fit fit() {
    problem_.rows.assign(problem_.start.size(), all_rows());
    for (;;) {
      core::Fit fit = core::least_squares_from_afar(problem_);
      bool is_done = true;
      for (std::size_t k = 0; k < fit.x.size(); ++k) {
        if (problem_.rows[k].empty() || fit.error[k] < kUncertain) continue;
        problem_.rows[k].clear();
        is_done = false;
      }
      if (is_done) return fit;
    }
  }

 private:
  static constexpr std::size_t kEach = 2;  ///< residuals of a group of requests: TTFT and TPOT

  [[nodiscard]] std::vector<std::uint32_t> all_rows() const {
    std::vector<std::uint32_t> all(problem_.weights.size());
    for (std::uint32_t i = 0; i < all.size(); ++i) all[i] = i;
    return all;
  }
  [[nodiscard]] std::size_t begin_of(std::size_t group) const { return group * count_ / groups_; }
  /// Residual i at x. The solver reads all residuals of a point in a row, so x is simulated once.
  double residual_at(std::span<const double> x, std::uint32_t i) {
    if (!std::ranges::equal(x, at_)) {
      simulate(x);
      at_.assign(x.begin(), x.end());
    }
    return residuals_[i];
  }
  /// Sets residuals_ to log(mean predicted / mean measured) of each group; 0 if nothing was
  /// measured.
  void simulate(std::span<const double> x) {
    const std::vector<Served> served = service_.run(service_.at(x));
    residuals_.assign(kEach * groups_, 0);
    for (std::size_t group = 0; group < groups_; ++group) {
      const std::size_t begin = begin_of(group), size = begin_of(group + 1) - begin;
      for (const MeasuredComparison& one :
           compare_with_trace(std::span(service_.trace()).subspan(begin, size),
                              std::span(served).subspan(begin, size)))
        if (one.predicted > 0)
          residuals_[kEach * group + (one.quantity == "ttft" ? 0 : 1)] =
              std::log(one.predicted / one.measured);
    }
  }

  Service& service_;
  std::size_t count_, groups_;
  core::FitProblem problem_{};
  std::vector<double> at_{};
  std::vector<double> residuals_{};
};

}  // namespace

RequestFit fit_requests(ServingPlanRequest request, const ServingOption& option) {
  const auto measured =
      static_cast<std::size_t>(std::ranges::count_if(request.demand.trace, [](const Request& r) {
        return r.measured_ttft > 0 || r.measured_tpot > 0;
      }));
  if (measured < kLeast)
    throw InputError(
        "", "--trace",
        fmt::format("{} requests have measured times; at least {} are needed", measured, kLeast),
        "columns ttft_ms and tpot_ms");
  Service service(std::move(request), option);
  const std::size_t count = service.trace().size();
  const core::Fit all = FirstRequests(service, count).fit();
  RequestFit fit{.efficiency = service.at(all.x)};
  for (std::size_t k = 0; k < all.x.size(); ++k) {
    const EfficiencyParameter& p = *service.parameters()[k];
    if (std::isfinite(all.error[k])) fit.efficiency.*p.member = rounded(all.x[k]);
    fit.parameters.push_back({{std::string(p.name), fit.efficiency.*p.member, all.error[k]},
                              service.start().*p.member,
                              std::isfinite(all.error[k])});
  }
  fit.before = service.errors(service.start(), 0);
  if (fit.before.empty())
    throw InputError("", "--trace", "the deployment could serve none of the requests",
                     "another split, or a larger KV cache");
  fit.after = service.errors(fit.efficiency, 0);
  const std::size_t half = count / 2;
  fit.held_out = service.errors(service.at(FirstRequests(service, half).fit().x), half);
  return fit;
}

}  // namespace railyard::placement::serving
