#include "placement/search/pipelines.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace railyard::placement {
namespace {

using Shares = std::vector<int>;  ///< stages on each type

/// Appends all ways to distribute `pp` stages over the types with at most units[t] on each.
void compositions(std::span<const int> units, int pp, Shares& shares, std::vector<Shares>& found) {
  const std::size_t type = shares.size();
  if (type + 1 == units.size()) {
    if (pp > units[type]) return;
    shares.push_back(pp);
    found.push_back(shares);
    shares.pop_back();
    return;
  }
  for (int here = 0; here <= std::min(pp, units[type]); ++here) {
    shares.push_back(here);
    compositions(units, pp - here, shares, found);
    shares.pop_back();
  }
}

using Stages = std::vector<int>;  ///< type by stage

/// Every arrangement of the types along the stages; empty if there are more than kFew.
std::vector<Stages> arrangements(Stages sorted) {
  // Eight stages on two types, four on each, have 70.
  constexpr std::size_t kFew = 70;
  std::vector<Stages> all;
  do {
    all.push_back(sorted);
    if (all.size() > kFew) return {};
  } while (std::next_permutation(sorted.begin(), sorted.end()));
  return all;
}

/// The types of the stages, for given numbers of stages per type: every arrangement if there are
/// few. Else every order of the types, and each order also with one stage of the first type at the
/// end or of the last type at the beginning, because the ends hold embedding and head.
std::vector<Stages> orders(const Shares& shares) {
  std::vector<int> present;
  Stages sorted;
  for (std::size_t t = 0; t < shares.size(); ++t) {
    if (shares[t] > 0) present.push_back(static_cast<int>(t));
    sorted.insert(sorted.end(), static_cast<std::size_t>(shares[t]), static_cast<int>(t));
  }
  std::vector<Stages> all = arrangements(sorted);
  if (!all.empty()) return all;
  do {
    Stages stages;
    for (const int type : present)
      stages.insert(stages.end(), static_cast<std::size_t>(shares[static_cast<std::size_t>(type)]),
                    type);
    all.push_back(stages);
    if (present.size() < 2) continue;
    Stages turned = stages;
    std::rotate(turned.begin(), turned.begin() + 1, turned.end());
    if (stages[1] == stages[0]) all.push_back(std::move(turned));
    turned = stages;
    std::rotate(turned.begin(), turned.end() - 1, turned.end());
    if (stages[stages.size() - 2] == stages.back()) all.push_back(std::move(turned));
  } while (std::next_permutation(present.begin(), present.end()));
  return all;
}

/// Number of replicas for which the groups suffice.
int room(std::span<const int> units, const Shares& shares) {
  int most = std::numeric_limits<int>::max();
  for (std::size_t t = 0; t < units.size(); ++t)
    if (shares[t] > 0) most = std::min(most, units[t] / shares[t]);
  return most;
}

Shares less(std::span<const int> units, const Shares& shares, int replicas) {
  Shares left(units.begin(), units.end());
  for (std::size_t t = 0; t < left.size(); ++t) left[t] -= shares[t] * replicas;
  return left;
}

class PipelineCandidates {
 public:
  explicit PipelineCandidates(std::span<const int> units) : units_(units) {}

  void add(int pp) {
    std::vector<Shares> all;
    Shares none;
    compositions(units_, pp, none, all);
    for (const Shares& shares : all) {
      const int n = room(units_, shares);
      for (const auto& stages : orders(shares)) put({{.types = stages, .replicas = n}});
      for (std::size_t t = 0; t < units_.size(); ++t) beside(pp, static_cast<int>(t), shares);
    }
    one_class_each(pp);
  }

  std::vector<Pipelines> take() {
    std::ranges::stable_sort(candidates_, [&](const Pipelines& a, const Pipelines& b) {
      return std::pair(idle(a), a.pp) < std::pair(idle(b), b.pp);
    });
    return std::move(candidates_);
  }

 private:
  /// Replicas of one type beside replicas with these shares: as many as possible of the first kind
  /// and then of the second, and the other way round.
  void beside(int pp, int type, const Shares& shares) {
    const auto t = static_cast<std::size_t>(type);
    // Two pure classes are the same pipelines in either order.
    for (std::size_t other = 0; other <= t; ++other)
      if (shares[other] == pp) return;
    Shares pure(units_.size(), 0);
    pure[t] = pp;
    const int most = room(units_, shares);
    const int alone_first = room(units_, pure);
    const int alone_last = room(less(units_, shares, most), pure);
    const int others = alone_first > 0 ? room(less(units_, pure, alone_first), shares) : 0;
    for (const auto& stages : orders(shares)) {
      if (alone_first > 0 && others > 0) put_two(pp, t, alone_first, stages, others);
      if (alone_last > 0 && most > 0 && alone_last != alone_first)
        put_two(pp, t, alone_last, stages, most);
    }
  }

  void put_two(int pp, std::size_t type, int alone, const std::vector<int>& stages, int others) {
    put({{.types = std::vector<int>(static_cast<std::size_t>(pp), static_cast<int>(type)),
          .replicas = alone},
         {.types = stages, .replicas = others}});
  }

  void one_class_each(int pp) {
    if (units_.size() < 3) return;
    std::vector<PipelineClass> classes;
    for (std::size_t t = 0; t < units_.size(); ++t)
      if (units_[t] >= pp)
        classes.push_back(
            {.types = std::vector<int>(static_cast<std::size_t>(pp), static_cast<int>(t)),
             .replicas = units_[t] / pp});
    if (classes.size() > 2) put(std::move(classes));
  }

  void put(std::vector<PipelineClass> classes) {
    const auto none = [](const PipelineClass& one) { return one.replicas < 1; };
    if (std::ranges::none_of(classes, none))
      candidates_.push_back(pipelines_of_classes(std::move(classes), units_.size()));
  }

  [[nodiscard]] int idle(const Pipelines& way) const {
    return std::accumulate(units_.begin(), units_.end(), 0) -
           std::accumulate(way.used.begin(), way.used.end(), 0);
  }

  std::span<const int> units_;
  std::vector<Pipelines> candidates_;
};

}  // namespace

Pipelines pipelines_of_classes(std::vector<PipelineClass> classes, std::size_t types) {
  Pipelines way{.pp = static_cast<int>(classes.front().types.size()),
                .dp = 0,
                .classes = std::move(classes),
                .used = Shares(types, 0)};
  for (const PipelineClass& one : way.classes) {
    way.dp += one.replicas;
    Shares& shares = way.shares.emplace_back(types, 0);
    for (const int type : one.types) ++shares[static_cast<std::size_t>(type)];
    for (std::size_t t = 0; t < types; ++t) way.used[t] += shares[t] * one.replicas;
  }
  return way;
}

std::vector<Pipelines> pipelines_of(std::span<const int> units, int most_stages) {
  PipelineCandidates candidates(units);
  const int all = std::accumulate(units.begin(), units.end(), 0);
  for (int pp = 1; pp <= std::min(most_stages, all); ++pp) candidates.add(pp);
  return candidates.take();
}

}  // namespace railyard::placement
