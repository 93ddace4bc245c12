#include "placement/jobs/candidate_notes.hpp"

#include <fmt/format.h>

#include "placement/cost/untiled_groups.hpp"
#include "placement/model/job_fields.hpp"

namespace railyard::placement {

std::string note_on_second(const Goal& goal, const PlaceProblem& problem,
                           const std::vector<Verified>& found) {
  if (orders_by_value(goal, problem)) {
    const double more = value_in(goal, problem.job, as_simulated(found[1])) /
                        value_in(goal, problem.job, as_simulated(found[0]));
    return fmt::format("the second: {:.1f} % more", 100 * (more - 1));
  }
  const bool both = found[0].simulated.has_value() == found[1].simulated.has_value();
  return "the second " + why_slower(both ? as_simulated(found[0]) : found[0].scored,
                                    both ? as_simulated(found[1]) : found[1].scored);
}

std::string note_on_formula(const PlaceProblem& problem, const Verified& best) {
  constexpr double kFar = 1.2;
  if (!best.simulated) return {};
  const double ratio = as_simulated(best).step.total.seconds() / best.scored.step.total.seconds();
  if (ratio < kFar) return {};
  const int node = problem.cluster.spec().node_specs.front().gpu_count();
  const std::string untiled = untiled_groups(best.scored.strategy, node);
  const std::string left_out =
      has_slower_links(problem) ? "broken links and the traffic of other jobs"
      : untiled.empty()
          ? "contention"
          : fmt::format("groups that cross nodes: {} of nodes with {}", untiled, node);
  return fmt::format(
      "simulated_s is {:.2f} times iteration_s, by which the search selects; "
      "iteration_s leaves out {}",
      ratio, left_out);
}

std::vector<std::string> notes_on_types(const PlaceProblem& problem, const Strategy& strategy) {
  const std::vector<int> used = gpus_used(strategy, problem.types.size());
  std::vector<std::string> notes;
  for (std::size_t t = 0; t < used.size(); ++t)
    notes.push_back(fmt::format("{}: {} x {} ({}), {} taken", type_name(static_cast<int>(t)),
                                problem.types[t].gpus(), problem.types[t].gpu.gpu.name,
                                problem.types[t].node, used[t]));
  return notes;
}

std::string note_on_peak(const PlaceProblem& problem) {
  const Precision narrow = problem.job.precision;
  if (!is_narrow(narrow)) return {};
  const Processor& gpu = problem.types.front().gpu;
  const double its = static_cast<double>(peak(gpu, narrow).per_second()) / 1e12;
  const double bf16 = static_cast<double>(peak(gpu, Precision::bf16).per_second()) / 1e12;
  return fmt::format(
      "mfu refers to the {} peak of {}, {:.0f} TFLOP/s; relative to the bf16 peak, {:.0f} "
      "TFLOP/s, it is {:.2f} times as large",
      core::enum_name(narrow), gpu.gpu.name, its, bf16, its / bf16);
}

}  // namespace railyard::placement
