#include "apps/place/mixed_mapped.hpp"

#include <algorithm>

#include "apps/output/result_output.hpp"
#include "apps/place/mapping_sections.hpp"
#include "placement/mapping/routed_score.hpp"
#include "placement/mapping/typed_mapping_search.hpp"

namespace railyard::apps {

using placement::Mapping;
using placement::Strategy;

std::vector<Mapping> MixedMapper::mappings(const Strategy& mixed) const {
  std::vector<Mapping> all;
  if (mapper_.searches()) {
    const auto phases = placement::step_traffic(problem_.job, mixed);
    all.push_back(placement::optimise_mapping(mapper_.tiers(), {.strategy = mixed,
                                                                .types = problem_.types,
                                                                .phases = phases,
                                                                .evaluate = mapper_.evaluate(),
                                                                .judged_by = problem_.routing})
                      .mapping);
  }
  all.push_back(placement::map_in_order(mixed, problem_.types, problem_.order));
  return all;
}

std::vector<placement::MappingOption> MixedMapper::ways(const Strategy& mixed) const {
  const placement::Strategy& s = mixed;
  const auto phases = placement::step_traffic(problem_.job, s);
  placement::EvaluateOptions even = mapper_.evaluate();
  even.hashed = false;
  placement::Evaluator evaluator(mapper_.tiers(), phases, even);
  placement::RoutedScore routed(mapper_.tiers(), phases, problem_.routing, even);
  const placement::TypedMappingRequest request{.strategy = mixed,
                                               .types = problem_.types,
                                               .phases = phases,
                                               .evaluate = mapper_.evaluate(),
                                               .judged_by = problem_.routing};
  std::vector<placement::MappingOption> ways;
  const auto add = [&](std::string method, placement::MappingChoice choice) {
    choice.score = evaluator.score(choice.mapping);
    const double seconds = routed(choice.mapping);
    ways.push_back({std::move(method), std::move(choice), seconds});
  };
  const placement::Layout layout = placement::layout_in(s, problem_.order);
  add("as ordered", {.mapping = placement::map_in_order(mixed, problem_.types, problem_.order),
                     .score = {},
                     .layout = layout,
                     .order = placement::to_text(layout)});
  add("best axis order", placement::best_axis_order(mapper_.tiers(), request));
  add("searched", placement::optimise_mapping(mapper_.tiers(), request));
  return ways;
}

Mapping MixedMapper::taken(const placement::Verified& best, ResultDocument& document,
                           Context& context) const {
  const Strategy& mixed = best.scored.strategy;
  if (!mapper_.searches()) return mappings(mixed).front();
  const std::vector<placement::MappingOption> found = ways(mixed);
  Mapping mapping =
      chosen_mapping(found, best.mapping, best.simulated.has_value(), context).choice.mapping;
  document.sections.push_back({"mapping", tabulate_mappings(found)});
  document.sections.push_back(
      {"phases", tabulate_phases(mapper_.tiers(), mapper_.loads(mixed, mapping))});
  if (!problem_.occupancy.empty())
    document.sections.push_back({"leaf_groups", tabulate_leaf_groups(placement::leaf_group_use(
                                                    problem_, mapper_.tiers(), mapping))});
  return mapping;
}

}  // namespace railyard::apps
