#include "placement/capacity/goodput/failure_source.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <string>

#include "core/random.hpp"
#include "placement/capacity/goodput/repair_draw.hpp"

namespace railyard::placement {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kSecondsPerDay = 86'400;
/// Difference between the seeds of two runs.
constexpr std::uint64_t kRunStep = 0x632be59bd9b4e019ULL;

/// A power-law process: N · rate · (age in years)^shape expected failures up to an age.
struct CauseProcess {
  double rate = 0;  ///< rate of all components together, in the first year
  double shape = 1;
  double age = 0;  ///< at the start, in years
  double next = kNever;
  Failure form{};
  RepairDraw repair;
  core::RandomStream times, repairs;

  /// Draws the time of the next failure after `now`: until then the expected count grows by an
  /// exponential number with mean 1.
  void advance(double now) {
    if (!(rate > 0)) return;
    const double step = times.exponential();
    if (shape == 1) {
      next = now + step / rate * core::kSecondsPerYear;
      return;
    }
    const double years = age + now / core::kSecondsPerYear;
    const double count = rate * std::pow(years, shape) + step;
    next = (std::pow(count / rate, 1 / shape) - age) * core::kSecondsPerYear;
  }
};

class DrawnFailures final : public FailureSource {
 public:
  DrawnFailures(const RunSetup& setup, std::uint64_t seed, std::uint64_t run)
      : lemons_(setup.failures.lemons),
        repeats_(setup.failures.repeats),
        repair_(setup.failures.repair),
        repeated_cause_(setup.failures.causes.size() + 1),
        repeat_draws_(seed + run * kRunStep, 2 * setup.failures.causes.size() + 3) {
    const FailureModel& model = setup.failures;
    double by_node = 0, primary = 0;  // failures of nodes, that take a node; per year
    for (std::size_t c = 0; c < model.causes.size(); ++c) {
      const FailureCause& cause = model.causes[c];
      double rate = setup.counts.of(cause.per) * cause.per_year;
      if (!cause.keeps_node) primary += rate *= 1 - repeats_.share;
      add(cause, c, rate, model, seed, run);
      if (cause.per != Component::job && !cause.keeps_node && !cause.caused_by_job) by_node += rate;
    }
    if (causes_.empty()) add({.name = "none"}, 0, 0, model, seed, run);
    repeat_earlier(primary / (1 - repeats_.share));
    core::RandomStream which(seed + run * kRunStep, 2 * model.causes.size() + 2);
    for (int node = 0; lemons_.share > 0 && node < setup.nodes; ++node)
      if (which.uniform() < lemons_.share) counts_.push_back(0);
    if (counts_.empty()) return;
    lemon_rate_ = by_node / setup.nodes * (lemons_.rate_factor - 1);
    add({.name = "lemon nodes"}, model.causes.size(),
        lemon_rate_ * static_cast<double>(counts_.size()), model, seed, run);
    lemon_ = causes_.size() - 1;
  }

  double next_time() const override { return std::min(causes_[first_].next, next_repeat()); }

  Failure take() override {
    Failure failure;
    if (next_repeat() < causes_[first_].next) {
      failure = {
          .at = next_repeat(), .cause = repeated_cause_, .repair = repair_.draw(repeat_draws_)};
      repeat_times_.pop();
    } else {
      CauseProcess& cause = causes_[first_];
      failure = cause.form;
      failure.at = cause.next;
      if (failure.takes_node) failure.repair = cause.repair.draw(cause.repairs);
      if (first_ == lemon_) count_lemon(cause);
      cause.advance(failure.at);
      find_first();
    }
    if (failure.takes_node) repeat_after(failure.at + failure.repair);
    return failure;
  }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};

  void add(const FailureCause& cause, std::size_t index, double rate, const FailureModel& model,
           std::uint64_t seed, std::uint64_t run) {
    causes_.push_back({.rate = rate,
                       .shape = cause.shape,
                       .age = model.age.seconds() / core::kSecondsPerYear,
                       .form = {.cause = index,
                                .takes_node = !cause.keeps_node,
                                .caused_by_job = cause.caused_by_job},
                       .repair = RepairDraw(cause.repair.value_or(model.repair)),
                       .times = core::RandomStream(seed + run * kRunStep, 2 * index),
                       .repairs = core::RandomStream(seed + run * kRunStep, 2 * index + 1)});
    causes_.back().advance(0);
    find_first();
  }

  void find_first() {
    first_ = 0;
    for (std::size_t c = 1; c < causes_.size(); ++c)
      if (causes_[c].next < causes_[first_].next) first_ = c;
  }

  [[nodiscard]] double next_repeat() const {
    return repeat_times_.empty() ? kNever : repeat_times_.top();
  }
  /// Draws repeated failures of nodes that failed in the year before the run, at `per_year`
  /// failures per year, because a run starts in the steady state of its cluster.
  void repeat_earlier(double per_year) {
    const double rate = repeats_.share * per_year / core::kSecondsPerYear;
    if (!(rate > 0)) return;
    for (double at = -core::kSecondsPerYear; (at += repeat_draws_.exponential() / rate) < 0;) {
      const double again = at + repair_.draw(repeat_draws_) + again_after();
      if (again > 0) repeat_times_.push(again);
    }
  }

  /// Draws the time from a node's return to its repeated failure.
  double again_after() {
    return repeats_.scale.seconds() * std::pow(repeat_draws_.exponential(), 1 / repeats_.shape);
  }

  /// Draws whether a node that returns at `back` fails again, and when.
  void repeat_after(double back) {
    if (!(repeats_.share > 0) || repeat_draws_.uniform() >= repeats_.share) return;
    repeat_times_.push(back + again_after());
  }

  /// Counts a failure of a random lemon node, and replaces the node after lemons_.replaced_after
  /// failures.
  void count_lemon(CauseProcess& cause) {
    if (lemons_.replaced_after == 0) return;
    const std::uint64_t which = cause.repairs.below(counts_.size());
    if (++counts_[which] < lemons_.replaced_after) return;
    counts_.erase(counts_.begin() + static_cast<std::ptrdiff_t>(which));
    cause.rate = lemon_rate_ * static_cast<double>(counts_.size());
    if (counts_.empty()) cause.next = kNever;
  }

  LemonNodes lemons_;
  RepeatedFailures repeats_;
  RepairDraw repair_;
  std::size_t repeated_cause_;  ///< index in cause_names(): after the model's causes and the lemon
                                ///< nodes
  core::RandomStream repeat_draws_;
  std::priority_queue<double, std::vector<double>, std::greater<>> repeat_times_{};
  std::vector<CauseProcess> causes_{};
  std::size_t first_ = 0, lemon_ = kNone;
  double lemon_rate_ = 0;      ///< rate of one lemon node, beyond that of other nodes
  std::vector<int> counts_{};  ///< failures of each lemon node that is left
};

class ReplayedFailures final : public FailureSource {
 public:
  ReplayedFailures(const FailureTrace& trace, double start_day)
      : trace_(trace), start_day_(start_day) {
    for (const TraceFault& fault : trace.faults) {
      const auto known = std::ranges::find(names_, fault.cause);
      causes_.push_back(static_cast<std::size_t>(known - names_.begin()));
      if (known == names_.end()) names_.push_back(fault.cause);
    }
    while (next_ < trace.faults.size() && trace.faults[next_].start_day < start_day) ++next_;
    wrap();
  }

  double next_time() const override {
    return (trace_.faults[next_].start_day + turns_ * trace_.days - start_day_) * kSecondsPerDay;
  }

  Failure take() override {
    const TraceFault& fault = trace_.faults[next_];
    const Failure failure{.at = next_time(),
                          .cause = causes_[next_],
                          .node = fault.node,
                          .repair = (fault.end_day - fault.start_day) * kSecondsPerDay};
    ++next_;
    wrap();
    return failure;
  }

 private:
  void wrap() {
    if (next_ < trace_.faults.size()) return;
    next_ = 0;
    ++turns_;
  }

  const FailureTrace& trace_;
  double start_day_;
  std::vector<std::string> names_{};
  std::vector<std::size_t> causes_{};
  std::size_t next_ = 0;
  double turns_ = 0;
};

}  // namespace

std::unique_ptr<FailureSource> drawn_failures(const RunSetup& setup, std::uint64_t seed,
                                              std::uint64_t run) {
  return std::make_unique<DrawnFailures>(setup, seed, run);
}

std::unique_ptr<FailureSource> replayed_failures(const FailureTrace& trace, double start_day) {
  return std::make_unique<ReplayedFailures>(trace, start_day);
}

}  // namespace railyard::placement
