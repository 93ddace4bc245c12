#include "core/sweep/space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/diagnostic.hpp"
#include "core/random.hpp"

namespace railyard::core::sweep {
namespace {

constexpr std::size_t kMostPoints = 10'000'000;

using Values = std::vector<std::string>;

std::size_t list_size(const Space& space) {
  return space.list.empty() ? 1 : space.list.front().values.size();
}

/// The number of combinations; nothing with an interval.
std::optional<double> combinations(const Space& space) {
  double count = static_cast<double>(list_size(space));
  for (const Axis& axis : space.grid) {
    if (axis.interval) return std::nullopt;
    count *= static_cast<double>(axis.values.size());
  }
  return count;
}

void check(const Space& space) {
  Diagnostics problems("");
  std::set<std::string> seen;
  for (const std::string& field : fields_of(space))
    if (!seen.insert(field).second)
      problems.add("--grid", fmt::format("the field {} appears twice", field),
                   "give all its values at once");
  for (const Axis& axis : space.list) {
    if (axis.interval)
      problems.add("--list", fmt::format("{} is an interval of real numbers", axis.field),
                   "give its values, or a step");
    else if (axis.values.size() != list_size(space))
      problems.add("--list",
                   fmt::format("{} has {} values, but {} has {}", axis.field, axis.values.size(),
                               space.list.front().field, list_size(space)),
                   "the fields of --list change together and need the same number of values");
  }
  for (const Axis& axis : space.grid)
    if (axis.interval && !space.samples)
      problems.add("--grid", fmt::format("{} is an interval of real numbers", axis.field),
                   "give it a step such as :+0.1 or :*2, or draw points with --samples");
  problems.throw_if_any();
  const auto count = space.samples ? static_cast<double>(*space.samples) : *combinations(space);
  if (count > static_cast<double>(kMostPoints))
    throw InputError("", space.samples ? "--samples" : "--grid",
                     fmt::format("{:.0f} points are more than {}", count, kMostPoints),
                     "use fewer values, or draw points with --samples");
}

/// The point with an index among all combinations; the last axis of the grid changes fastest.
Values combination(const Space& space, std::size_t number) {
  Values values(space.list.size() + space.grid.size());
  for (std::size_t i = space.grid.size(); i-- > 0;) {
    const std::vector<std::string>& choices = space.grid[i].values;
    values[space.list.size() + i] = choices[number % choices.size()];
    number /= choices.size();
  }
  for (std::size_t i = 0; i < space.list.size(); ++i) values[i] = space.list[i].values[number];
  return values;
}

std::string drawn(const Interval& interval, RandomStream& random) {
  const double part = random.uniform();
  const double value = interval.is_logarithmic
                           ? interval.least * std::pow(interval.most / interval.least, part)
                           : interval.least + part * (interval.most - interval.least);
  return fmt::format("{:.6g}{}", value, interval.unit);
}

Values drawn(const Space& space, RandomStream random) {
  Values values;
  const std::size_t row = random.below(list_size(space));
  for (const Axis& axis : space.list) values.push_back(axis.values[row]);
  for (const Axis& axis : space.grid)
    values.push_back(axis.interval ? drawn(*axis.interval, random)
                                   : axis.values[random.below(axis.values.size())]);
  return values;
}

std::vector<Values> sample(const Space& space) {
  const auto most = combinations(space);
  const double wanted = static_cast<double>(*space.samples);
  const std::size_t count =
      most ? static_cast<std::size_t>(std::min(*most, wanted)) : *space.samples;
  std::vector<Values> points;
  std::set<Values> seen;
  // Terminates: each draw hits each of a finite number of combinations with equal probability. An
  // interval may contain few numbers of six digits; the loop ends after many draws without a new
  // point.
  constexpr std::size_t kMostRepeats = 10'000'000;
  std::size_t repeats = 0;
  for (std::uint64_t stream = 0; points.size() < count && repeats < kMostRepeats; ++stream) {
    Values values = drawn(space, RandomStream(space.seed, stream));
    if (seen.insert(values).second)
      points.push_back(std::move(values));
    else
      ++repeats;
  }
  return points;
}

}  // namespace

std::vector<std::string> fields_of(const Space& space) {
  std::vector<std::string> fields;
  for (const Axis& axis : space.list) fields.push_back(axis.field);
  for (const Axis& axis : space.grid) fields.push_back(axis.field);
  return fields;
}

std::vector<Values> points_of(const Space& space) {
  check(space);
  if (space.samples) return sample(space);
  std::vector<Values> points(static_cast<std::size_t>(*combinations(space)));
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = combination(space, i);
  return points;
}

}  // namespace railyard::core::sweep
