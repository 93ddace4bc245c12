#include "hw/diagnose/search.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace railyard::hw {
namespace {

/// Whether an effect is large enough to be reported.
bool matters(const Effect& effect, double least) {
  return effect.slowdown >= least || effect.failure_gain > kLeastLogOdds;
}

std::optional<Accepted> best_of(const std::vector<Candidate>& candidates,
                                const Explanation& explanation, double least) {
  std::optional<Accepted> best;
  for (const Candidate& candidate : candidates) {
    Effect effect = explanation.effect(candidate.runs);
    const double score = effect.gain + candidate.hypothesis.log_prior;
    if (!matters(effect, least) || score < kLeastLogOdds || (best && score <= best->score))
      continue;
    best = Accepted{.candidate = candidate, .effect = std::move(effect), .score = score};
  }
  return best;
}

/// Which candidates a search uses until they explain nothing more.
enum class Order { all_together, singles_first };

std::vector<Accepted> greedy(const Samples& samples, const Rates& rates, const ClusterView& view,
                             double least, Order order) {
  constexpr std::size_t kMostComponents = 64;
  Explanation explanation(samples, rates);
  const std::vector<Candidate> singles = single_candidates(explanation, view);
  std::vector<Accepted> accepted;
  while (accepted.size() < kMostComponents) {
    std::optional<Accepted> best = best_of(singles, explanation, least);
    if (!best || order == Order::all_together) {
      auto set = best_of(node_set_candidates(explanation, view), explanation, least);
      if (set && (!best || set->score > best->score)) best = std::move(set);
    }
    if (!best) break;
    explanation.accept(best->candidate.runs, best->effect);
    accepted.push_back(std::move(*best));
  }
  return accepted;
}

double total(const std::vector<Accepted>& accepted) {
  double sum = 0;
  for (const Accepted& one : accepted) sum += one.score;
  return sum;
}

bool is_same(const Hypothesis& a, const Hypothesis& b) {
  return a.kind == b.kind && a.nodes == b.nodes && a.places == b.places;
}

/// Scores of hypotheses that compete with one that was accepted, best first.
std::vector<std::pair<double, const Candidate*>> rivals_of(const Accepted& accepted,
                                                           const std::vector<Candidate>& candidates,
                                                           const Explanation& explanation,
                                                           double least) {
  std::vector<std::pair<double, const Candidate*>> rivals;
  for (const Candidate& candidate : candidates) {
    const Hypothesis& hypothesis = candidate.hypothesis;
    if (is_same(hypothesis, accepted.candidate.hypothesis)) continue;
    const Effect effect = explanation.effect(candidate.runs);
    if (!matters(effect, least)) continue;
    const double score = effect.gain + hypothesis.log_prior;
    const auto same_runs = std::ranges::find_if(rivals, [&](const auto& rival) {
      return rival.second->hypothesis.kind == hypothesis.kind &&
             rival.second->hypothesis.places == hypothesis.places &&
             rival.second->runs == candidate.runs;
    });
    if (same_runs == rivals.end())
      rivals.emplace_back(score, &candidate);
    else if (score > same_runs->first)
      *same_runs = {score, &candidate};
  }
  std::ranges::stable_sort(rivals, [](const auto& a, const auto& b) { return a.first > b.first; });
  return rivals;
}

void compare(Accepted& accepted, const Explanation& others, const ClusterView& view, double least) {
  accepted.effect = others.effect(accepted.candidate.runs);
  accepted.score = accepted.effect.gain + accepted.candidate.hypothesis.log_prior;
  accepted.alternatives.clear();
  std::vector<Candidate> candidates = single_candidates(others, view);
  for (Candidate& set : node_set_candidates(others, view)) candidates.push_back(std::move(set));
  double odds = 1 + std::exp(-accepted.score);  // of everything, over those of this one
  for (const auto& [score, rival] : rivals_of(accepted, candidates, others, least)) {
    odds += std::exp(score - accepted.score);
    if (score > accepted.score - kLeastLogOdds) accepted.alternatives.push_back(rival->hypothesis);
  }
  accepted.probability = 1 / odds;
}

std::vector<Accepted> without(const std::vector<Accepted>& accepted, std::size_t index) {
  std::vector<Accepted> others = accepted;
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(index));
  return others;
}

}  // namespace

Explanation explained_by(const std::vector<Accepted>& accepted, const Samples& samples,
                         const Rates& rates) {
  Explanation explanation(samples, rates);
  for (const Accepted& one : accepted)
    explanation.accept(one.candidate.runs, explanation.effect(one.candidate.runs));
  return explanation;
}

std::vector<Accepted> find_components(const Samples& samples, const Rates& rates,
                                      const ClusterView& view, double least) {
  auto together = greedy(samples, rates, view, least, Order::all_together);
  auto singles = greedy(samples, rates, view, least, Order::singles_first);
  return total(singles) > total(together) ? singles : together;
}

void compare_alternatives(std::vector<Accepted>& accepted, const Samples& samples,
                          const Rates& rates, const ClusterView& view, double least) {
  // The last ones were accepted with the least evidence.
  for (std::size_t i = accepted.size(); i-- > 0;) {
    const Explanation others = explained_by(without(accepted, i), samples, rates);
    const Effect effect = others.effect(accepted[i].candidate.runs);
    if (effect.gain + accepted[i].candidate.hypothesis.log_prior < kLeastLogOdds ||
        !matters(effect, least))
      accepted = without(accepted, i);
  }
  for (std::size_t i = 0; i < accepted.size(); ++i)
    compare(accepted[i], explained_by(without(accepted, i), samples, rates), view, least);
}

}  // namespace railyard::hw
