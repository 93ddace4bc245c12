#include "collectives/nccl/timing/range/prediction_ranges.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace railyard::collectives::nccl {
namespace {

/// The ranges of sizes of `railyard validate`: latency, both, bandwidth.
constexpr std::array<std::int64_t, 4> kSizes{0, 64 << 10, 16 << 20, 0};

/// The smallest number of sweeps of a class. The class that covers everything needs only one.
constexpr int kLeastSweeps = 5;

bool covers(const RangeClass& c, const RangeQuery& q) {
  return c.of == q.of && (!c.evidence || *c.evidence == q.evidence) &&
         (!c.several_nodes || *c.several_nodes == q.several_nodes) &&
         (c.generation.empty() || c.generation == q.generation) && q.bytes >= c.from &&
         (c.below == Bytes() || q.bytes < c.below);
}

/// Sets range, rows and sweeps from the residuals that a class covers.
void measure(RangeClass& c, std::span<const Residual> residuals, const std::string& without) {
  std::map<std::size_t, double> rows_of_sweep;
  for (const Residual& r : residuals)
    if (r.table != without && covers(c, r.query)) rows_of_sweep[r.sweep] += 1;
  c.sweeps = static_cast<int>(rows_of_sweep.size());
  if (c.sweeps == 0) return;
  std::vector<std::pair<double, double>> deviations;  // with weight
  for (const Residual& r : residuals) {
    if (r.table == without || !covers(c, r.query)) continue;
    deviations.emplace_back(std::fabs(r.ratio - 1), 1 / rows_of_sweep[r.sweep]);
  }
  c.rows = static_cast<int>(deviations.size());
  std::ranges::sort(deviations);
  const double n = c.sweeps;
  const double wanted = std::min(n, kRangeProbability * (n + 1.0 / 3) + 1.0 / 3);
  double weight = 0;
  for (const auto& [deviation, own] : deviations) {
    weight += own;
    c.range_pct = 100 * deviation;
    if (weight >= wanted - 1e-9) break;
  }
}

/// Raises each range to at least that of the same class with better evidence.
void make_monotone(std::vector<RangeClass>& classes) {
  for (RangeClass& c : classes) {
    for (const RangeClass& other : classes) {
      const bool is_same = other.of == c.of && other.several_nodes == c.several_nodes &&
                           other.from == c.from && other.below == c.below &&
                           other.generation == c.generation;
      if (is_same && c.evidence && other.evidence && *other.evidence < *c.evidence)
        c.range_pct = std::max(c.range_pct, other.range_pct);
    }
  }
}

/// All possible classes, most specific first.
std::vector<RangeClass> possible_classes(RangeOf of, const std::set<std::string>& generations) {
  std::vector<RangeClass> classes;
  const auto add = [&](std::optional<Evidence> evidence, std::optional<bool> several,
                       std::size_t size, const std::string& generation) {
    classes.push_back({.of = of,
                       .evidence = evidence,
                       .several_nodes = several,
                       .from = Bytes(size == 3 ? 0 : kSizes[size]),
                       .below = Bytes(size == 3 ? 0 : kSizes[size + 1]),
                       .generation = generation});
  };
  const std::size_t first_size = of == RangeOf::step ? 3 : 0;
  const std::size_t last_size = 3;  // all sizes together
  std::vector<std::string> names(generations.begin(), generations.end());
  names.emplace_back();
  using enum Evidence;
  for (const std::string& generation : names) {
    for (std::size_t size = first_size; size <= last_size; ++size)
      for (const Evidence evidence : {measured, relative, nominal})
        for (const bool several : {false, true}) add(evidence, several, size, generation);
  }
  for (const Evidence evidence : {measured, relative, nominal}) add(evidence, {}, 3, "");
  add({}, {}, 3, "");
  return classes;
}

}  // namespace

void append(std::span<const Residual> more, std::vector<Residual>& all) {
  std::size_t sweeps = 0;
  for (const Residual& known : all) sweeps = std::max(sweeps, known.sweep + 1);
  for (const Residual& one : more) {
    all.push_back(one);
    all.back().sweep += sweeps;
  }
}

std::vector<RangeClass> range_classes(std::span<const Residual> residuals,
                                      const std::string& without) {
  std::vector<RangeClass> classes;
  for (const RangeOf of : {RangeOf::collective, RangeOf::step}) {
    std::set<std::string> generations;
    for (const Residual& r : residuals)
      if (r.query.of == of) generations.insert(r.query.generation);
    for (RangeClass& c : possible_classes(of, generations)) {
      measure(c, residuals, without);
      const bool is_pool = !c.several_nodes;
      if (c.sweeps >= (is_pool ? 1 : kLeastSweeps)) classes.push_back(std::move(c));
    }
  }
  make_monotone(classes);
  return classes;
}

std::optional<double> range_pct(std::span<const RangeClass> classes, const RangeQuery& query) {
  const auto found =
      std::ranges::find_if(classes, [&](const RangeClass& c) { return covers(c, query); });
  return found == classes.end() ? std::nullopt : std::optional(found->range_pct);
}

}  // namespace railyard::collectives::nccl
