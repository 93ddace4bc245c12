#include "placement/capacity/training/what_helps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/diagnostic.hpp"
#include "core/parallel.hpp"
#include "placement/capacity/training/training_cases.hpp"
#include "placement/capacity/training/variants.hpp"

namespace railyard::placement {
namespace {

/// A change of cluster and job, and how both sides are timed.
struct Variant {
  std::string name;
  std::function<PlaceProblem()> problem;
  bool by_formula = false;
};

class Variants {
 public:
  Variants(const TrainingPlanRequest& request, const TrainingOption& option)
      : request_(request),
        option_(option),
        spec_(topology::read_cluster(option.cluster, option.asked_nodes)) {}

  [[nodiscard]] std::vector<Variant> all() const {
    std::vector<Variant> variants;
    const auto add = [&](std::string name, std::function<PlaceProblem()> problem,
                         bool by_formula = false) {
      variants.push_back({std::move(name), std::move(problem), by_formula});
    };
    add("twice the NIC rate", [this] { return of(with_network_rate(spec_, 2)); });
    const double ratio = spec_.fabric.leaf_oversubscription == 1 ? 2 : 1;
    add(fmt::format("{}:1 oversubscription of the leaves", ratio),
        [this, ratio] { return of(with_oversubscription(spec_, ratio)); });
    add(
        "NVLink domain of 72 (64 of them in use)", [this] { return in_domain(); }, true);
    add("1.5 times the memory", [this] { return with_memory(of(spec_), 1.5); });
    for (const int batch : {request_.job.batch / 2, request_.job.batch * 2})
      if (batch > 0)
        add(fmt::format("batch of {}", batch),
            [this, batch] { return with_batch(of(spec_), batch); });
    return variants;
  }

  /// The problem of the option itself.
  [[nodiscard]] PlaceProblem unchanged() const { return of(spec_); }

 private:
  [[nodiscard]] PlaceProblem of(topology::ClusterSpec spec) const {
    return problem_on(topology::build_cluster(std::move(spec)), request_.job, option_.asked_gpus);
  }
  [[nodiscard]] PlaceProblem in_domain() const {
    constexpr int kDomain = 64;
    PlaceProblem problem = of(spec_);
    if (problem.types.size() > 1) throw InputError("", "", "the GPUs are of several types");
    const int per_node = problem.types.front().gpus_per_node();
    if (per_node >= kDomain || kDomain % per_node != 0)
      throw InputError("", "", fmt::format("nodes have {} GPUs", per_node));
    return with_nvlink_domain(std::move(problem), kDomain);
  }

  const TrainingPlanRequest& request_;
  const TrainingOption& option_;
  topology::ClusterSpec spec_;
};

std::optional<double> cost_of(const TrainingOption& option) {
  return option.cost ? std::optional(option.cost->value) : std::nullopt;
}

Change change_of(const TrainingPlanRequest& request, const Variant& variant,
                 const TrainingOption& base) {
  Change change{.name = variant.name};
  try {
    const PlaceProblem problem = variant.problem();
    const BestStrategy found =
        best_strategy(problem, variant.by_formula ? 0 : request.verify, request.engines);
    if (!found.best) throw InputError("", "", found.why_not);
    const TrainingOption now = option_of(request, problem, base.cluster, *found.best);
    change.days = now.days.value;
    change.day_change = now.days.value - base.days.value;
    change.cost = cost_of(now);
    if (now.cost && base.cost) change.cost_change = now.cost->value - base.cost->value;
    change.strategy = to_text(now.best.strategy);
  } catch (const InputError& error) {
    change.why_not = error.diagnostics().front().message;
  }
  return change;
}

}  // namespace

std::vector<Change> what_helps(const TrainingPlanRequest& request, const TrainingOption& option,
                               int threads) {
  const Variants variants(request, option);
  const std::vector<Variant> all = variants.all();
  const PlaceProblem problem = variants.unchanged();
  const BestStrategy formula = best_strategy(problem, 0, request.engines);
  TrainingOption by_formula = option;
  if (formula.best) by_formula = option_of(request, problem, option.cluster, *formula.best);
  std::vector<Change> changes(all.size());
  core::parallel_for(all.size(), threads, [&](std::size_t i, std::size_t) {
    changes[i] = change_of(request, all[i], all[i].by_formula ? by_formula : option);
  });
  std::ranges::stable_sort(changes, std::greater<>(),
                           [](const Change& c) { return std::abs(c.day_change); });
  return changes;
}

}  // namespace railyard::placement
