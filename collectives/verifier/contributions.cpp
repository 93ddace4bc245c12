#include "collectives/verifier/contributions.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace railyard::collectives {
namespace {

/// Adds a run at the end, merging it with the previous run if they are adjacent.
void append(std::vector<ContributionRun>& runs, ContributionRun run) {
  if (run.times == 0) return;
  if (!runs.empty() && runs.back().last + 1 == run.first && runs.back().times == run.times) {
    runs.back().last = run.last;
  } else {
    runs.push_back(run);
  }
}

/// All positions at which a run of either list begins or has ended, in ascending order.
std::vector<std::uint32_t> borders(const std::vector<ContributionRun>& a,
                                   const std::vector<ContributionRun>& b) {
  std::vector<std::uint32_t> found;
  for (const auto* runs : {&a, &b}) {
    for (const ContributionRun& run : *runs) {
      found.push_back(run.first);
      found.push_back(run.last + 1);
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

/// The multiplicity of `rank`. `next` only advances, so ranks must be queried in ascending order.
std::uint32_t times_at(const std::vector<ContributionRun>& runs, std::size_t& next,
                       std::uint32_t rank) {
  while (next < runs.size() && runs[next].last < rank) ++next;
  return next < runs.size() && runs[next].first <= rank ? runs[next].times : 0;
}

}  // namespace

Contributions::Contributions() { intern({}); }

Contributions::SetId Contributions::intern(Runs runs) {
  const auto [entry, is_new] = ids_.try_emplace(std::move(runs), static_cast<SetId>(sets_.size()));
  if (is_new) sets_.push_back(&entry->first);
  return entry->second;
}

Contributions::SetId Contributions::single(std::uint32_t rank) {
  return intern({{.first = rank, .last = rank}});
}

Contributions::SetId Contributions::all(std::uint32_t ranks) {
  return intern({{.first = 0, .last = ranks - 1}});
}

Contributions::SetId Contributions::sum(SetId a, SetId b) {
  if (a > b) std::swap(a, b);
  if (a == kNothing) return b;
  const auto known = sums_.find({a, b});
  if (known != sums_.end()) return known->second;
  const Runs& left = *sets_[a];
  const Runs& right = *sets_[b];
  const std::vector<std::uint32_t> marks = borders(left, right);
  Runs merged;
  std::size_t in_left = 0;
  std::size_t in_right = 0;
  for (std::size_t i = 0; i + 1 < marks.size(); ++i) {
    const std::uint32_t times =
        times_at(left, in_left, marks[i]) + times_at(right, in_right, marks[i]);
    append(merged, {.first = marks[i], .last = marks[i + 1] - 1, .times = times});
  }
  const SetId result = intern(std::move(merged));
  sums_.emplace(std::pair{a, b}, result);
  return result;
}

std::string Contributions::to_text(SetId set) const {
  if (set == kNothing) return "nothing";
  std::string text;
  for (const ContributionRun& run : *sets_[set]) {
    if (!text.empty()) text += ' ';
    text += run.first == run.last ? fmt::format("{}", run.first)
                                  : fmt::format("{}-{}", run.first, run.last);
    if (run.times > 1) text += fmt::format("x{}", run.times);
  }
  return text;
}

}  // namespace railyard::collectives
