#pragma once

#include <span>
#include <vector>

#include "apps/cli/context.hpp"
#include "apps/output/rows.hpp"
#include "apps/place/background.hpp"
#include "apps/place/question.hpp"
#include "placement/mapping/optimise.hpp"
#include "placement/mapping/step_traffic.hpp"

namespace railyard::apps {

/// Where strategies' ranks go on a question's free GPUs.
class Mapper {
 public:
  /// With `searches` the best mapping is looked for, else ranks follow the question's order over
  /// the first free GPUs. The question must outlive it.
  Mapper(const Question& question, bool searches);

  /// The searched mapping where one is looked for, and the ranks in order.
  [[nodiscard]] std::vector<placement::Mapping> mappings(const placement::Strategy& strategy) const;

  /// A way to map a strategy, and how good it is.
  struct Way {
    std::string method;  ///< "as ordered", "best axis order", "searched"
    placement::MappingChoice choice;
    double routed_seconds = 0;  ///< with every flow on its way through the fabric
  };
  /// All three ways; the last has the least busy links.
  [[nodiscard]] std::vector<Way> ways(const placement::Strategy& strategy) const;
  /// What a search alone, without judging, finds on these GPUs, whose bandwidth is all the job's.
  [[nodiscard]] placement::MappingChoice searched(const placement::Strategy& strategy,
                                                  std::span<const Rank> free) const;
  /// The busiest trunks of each phase under a mapping.
  [[nodiscard]] std::vector<placement::PhaseLoad> loads(const placement::Strategy& strategy,
                                                        const placement::Mapping& mapping) const;
  [[nodiscard]] const placement::Tiers& tiers() const { return tiers_; }
  [[nodiscard]] bool searches() const { return searches_; }
  [[nodiscard]] const placement::EvaluateOptions& evaluate() const { return evaluate_; }

 private:
  [[nodiscard]] placement::Mapping ordered(const placement::Strategy& strategy) const;
  [[nodiscard]] placement::MappingRequest request(
      const placement::RankGrid& grid, std::span<const placement::TrafficPhase> phases) const;

  const Question& question_;
  bool searches_;
  placement::Tiers tiers_;
  Background background_;
  placement::EvaluateOptions evaluate_;
};

/// Of the ways the one to be taken: the last, but the first where the engine (or without one, the
/// flows' own ways) found the step shorter with it, which a note says. `fastest` is which of
/// mappings() that was.
[[nodiscard]] const Mapper::Way& way_taken(std::span<const Mapper::Way> ways, std::size_t fastest,
                                           bool simulated, Context& context);

/// A line per way: order of the axes, seconds of the busiest links of a step (spread evenly, and
/// with every flow routed), hop-bytes.
[[nodiscard]] RowTable tabulate_ways(const std::vector<Mapper::Way>& ways);
/// A line per phase: how often, time of one, its busiest link, and the times of each tier.
[[nodiscard]] RowTable tabulate_phases(const placement::Tiers& tiers,
                                       const std::vector<placement::PhaseLoad>& loads);

/// GPUs in rank order as --ranks takes them: "8-15,0-7".
[[nodiscard]] std::string rank_list_text(const placement::Mapping& mapping);

}  // namespace railyard::apps
