#include "collectives/workload/program_repeats.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <unordered_map>
#include <utility>

namespace railyard::collectives {
namespace {

/// The smallest number of operations that a repeat must save. A repeat needs about as many lines in
/// the file as one operation.
constexpr std::size_t kLeastLeftOut = 4;
/// The number of periods to try, most frequent first. A period is a distance between similar
/// operations with different numbers in their names. A pipeline stage has about ten kinds of passes
/// and messages, with up to 64 chunks.
constexpr std::size_t kMostPeriods = 96;
/// The largest number of similar operations within one period: with interleaved stages, a round
/// contains one micro-batch per stage.
constexpr std::size_t kMostOccurrences = 64;

void mix(std::uint64_t& hash, std::uint64_t value) {
  hash ^= value + 0x9e3779b97f4a7c15ULL + (hash << 6U) + (hash >> 2U);
}

/// A program in which repeats are searched.
class Finder {
 public:
  Finder(const Program& program, std::span<const std::string> names)
      : program_(program), names_(names) {
    numbers_.assign(names.size(), {});
    known_.assign(names.size(), false);
    for (std::uint32_t i = 0; i < program.operations.size(); ++i) kinds_.push_back(kind_of(i));
    find_periods();
  }

  std::vector<ProgramRepeat> find() {
    std::vector<ProgramRepeat> found;
    std::vector<std::pair<std::size_t, std::size_t>> left{{0, kinds_.size()}};
    while (!left.empty()) {
      const auto [first, end] = left.back();
      left.pop_back();
      const ProgramRepeat best = best_in(first, end);
      if (left_out(best) < kLeastLeftOut) continue;
      found.push_back(best);
      left.emplace_back(first, best.first);
      left.emplace_back(best.first + std::size_t{best.count} * best.times, end);
    }
    std::ranges::sort(found, {}, &ProgramRepeat::first);
    return found;
  }

 private:
  static std::size_t left_out(const ProgramRepeat& repeat) {
    return repeat.times < 2 ? 0 : std::size_t{repeat.count} * (repeat.times - 1);
  }

  [[nodiscard]] const NumberedName& number(std::uint32_t name) {
    if (!known_[name]) numbers_[name] = numbered(names_[name]);
    known_[name] = true;
    return numbers_[name];
  }

  /// A hash of the properties that must be equal in all repetitions; same() compares the
  /// properties.
  std::uint64_t kind_of(std::uint32_t i) {
    const Operation& its = program_.operations[i];
    const NumberedName& name = number(its.name);
    std::uint64_t hash = static_cast<std::uint64_t>(its.kind);
    mix(hash, its.stream);
    mix(hash, static_cast<std::uint64_t>(its.duration.picoseconds()));
    mix(hash, static_cast<std::uint64_t>(its.bytes.count()));
    mix(hash, std::hash<std::string_view>()(name.before));
    mix(hash, std::hash<std::string_view>()(name.behind));
    mix(hash, program_.dependencies(i).size());
    return hash;
  }

  [[nodiscard]] bool same(std::size_t i, std::size_t j) const {
    if (kinds_[i] != kinds_[j]) return false;
    const Operation &a = program_.operations[i], &b = program_.operations[j];
    const NumberedName &from = numbers_[a.name], &to = numbers_[b.name];
    const auto before = program_.dependencies(static_cast<std::uint32_t>(i)),
               behind = program_.dependencies(static_cast<std::uint32_t>(j));
    return a.kind == b.kind && a.collective == b.collective && a.is_relative == b.is_relative &&
           a.stream == b.stream && a.family == b.family && a.peer == b.peer &&
           a.duration == b.duration && a.bytes == b.bytes && a.rate_share == b.rate_share &&
           a.compute_share == b.compute_share && from.before == to.before &&
           from.behind == to.behind && (from.number < 0) == (to.number < 0) &&
           std::ranges::equal(before, behind, {}, &Dependency::on_begin, &Dependency::on_begin);
  }

  /// Whether the similar operations i, i + p and i + 2p change by equal steps.
  [[nodiscard]] bool even_steps(std::size_t i, std::size_t p) const {
    const Operation &a = program_.operations[i], &b = program_.operations[i + p],
                    &c = program_.operations[i + 2 * p];
    const auto even = [](std::int64_t x, std::int64_t y, std::int64_t z) { return y - x == z - y; };
    if (!even(numbers_[a.name].number, numbers_[b.name].number, numbers_[c.name].number) ||
        !even(a.tag, b.tag, c.tag))
      return false;
    const auto at = [&](std::size_t k) {
      return program_.dependencies(static_cast<std::uint32_t>(i + k * p));
    };
    const auto x = at(0), y = at(1), z = at(2);
    for (std::size_t d = 0; d < x.size(); ++d)
      if (!even(x[d].operation, y[d].operation, z[d].operation)) return false;
    return true;
  }

  /// The repeat with this period that saves the most operations.
  void longest(std::size_t first, std::size_t end, std::size_t p, ProgramRepeat& best) const {
    std::size_t from = first;
    const auto close = [&](std::size_t until) {  // operations [from, until) equal those p later
      const ProgramRepeat its{.first = static_cast<std::uint32_t>(from),
                              .count = static_cast<std::uint32_t>(p),
                              .times = static_cast<std::uint32_t>((until - from) / p + 1)};
      if (left_out(its) > left_out(best)) best = its;
    };
    std::size_t i = first;
    for (; i + p < end; ++i) {
      if (!same(i, i + p)) {
        close(i);
        from = i + 1;
      } else if (i >= from + p && !even_steps(i - p, p)) {
        close(i);
        from = i - p + 1;
      }
    }
    close(i);
  }

  [[nodiscard]] ProgramRepeat best_in(std::size_t first, std::size_t end) const {
    ProgramRepeat best;
    for (const std::size_t p : periods_)
      if (first + 2 * p <= end) longest(first, end, p, best);
    return best;
  }

  /// The most frequent distances between similar operations whose number differs. Only occurrences
  /// in the second half of each kind are counted.
  void find_periods() {
    struct Occurrences {
      std::vector<std::size_t> at{};
      std::int64_t last = -2;
    };
    std::unordered_map<std::uint64_t, std::size_t> index;  // looked up only
    std::vector<Occurrences> kinds;
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
      const auto [known, is_new] = index.try_emplace(kinds_[i], kinds.size());
      if (is_new) kinds.emplace_back();
      Occurrences& its = kinds[known->second];
      const std::int64_t number = numbers_[program_.operations[i].name].number;
      if (number < 0 || number != its.last) its.at.push_back(i);
      its.last = number;
    }
    std::map<std::size_t, std::size_t> votes;
    for (const Occurrences& its : kinds) {
      const std::size_t middle = its.at.size() / 2;
      for (std::size_t k = 1; k <= kMostOccurrences && middle + k < its.at.size(); ++k)
        ++votes[its.at[middle + k] - its.at[middle]];
    }
    std::vector<std::pair<std::size_t, std::size_t>> by_votes;
    for (const auto& [period, count] : votes) by_votes.emplace_back(count, period);
    std::ranges::sort(by_votes, [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    for (const auto& [count, period] : by_votes)
      if (periods_.size() < kMostPeriods) periods_.push_back(period);
    std::ranges::sort(periods_);
  }

  const Program& program_;
  std::span<const std::string> names_;
  std::vector<NumberedName> numbers_;  ///< by name
  std::vector<bool> known_;
  std::vector<std::uint64_t> kinds_;  ///< by operation
  std::vector<std::size_t> periods_;
};

}  // namespace

NumberedName numbered(std::string_view name) {
  constexpr std::string_view kDigits = "0123456789";
  constexpr std::size_t kMostDigits = 9;
  const std::size_t first = name.find_first_of(kDigits);
  if (first == std::string_view::npos) return {.before = name};
  const std::size_t end = std::min(name.find_first_not_of(kDigits, first), name.size());
  const std::string_view digits = name.substr(first, end - first);
  if (digits.size() > kMostDigits || (digits.size() > 1 && digits.front() == '0'))
    return {.before = name};
  std::int64_t number = 0;
  for (const char digit : digits) number = number * 10 + (digit - '0');
  return {.before = name.substr(0, first), .behind = name.substr(end), .number = number};
}

RepeatSteps steps_of(const Program& program, std::span<const std::string> names,
                     const ProgramRepeat& repeat, std::uint32_t operation) {
  const std::uint32_t next = operation + repeat.count;
  const Operation &a = program.operations[operation], &b = program.operations[next];
  RepeatSteps steps{.name = numbered(names[b.name]).number - numbered(names[a.name]).number,
                    .tag = std::int64_t{b.tag} - a.tag};
  const auto from = program.dependencies(operation), to = program.dependencies(next);
  for (std::size_t d = 0; d < from.size(); ++d)
    steps.after.push_back(std::int64_t{to[d].operation} - from[d].operation);
  return steps;
}

std::vector<ProgramRepeat> repeats_of(const Program& program, std::span<const std::string> names) {
  return Finder(program, names).find();
}

}  // namespace railyard::collectives
