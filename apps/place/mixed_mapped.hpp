#pragma once

#include <vector>

#include "apps/cli/context.hpp"
#include "apps/output/rows.hpp"
#include "placement/jobs/mapper.hpp"
#include "placement/simulate/verify_search.hpp"

namespace railyard::apps {

/// Where the ranks of mixed strategies go: each on a free GPU of its type.
class MixedMapper {
 public:
  /// Problem and mapper must outlive it.
  MixedMapper(const placement::PlaceProblem& problem, const placement::Mapper& mapper)
      : problem_(problem), mapper_(mapper) {}

  /// The searched mapping where one is looked for, and the ranks in order.
  [[nodiscard]] std::vector<placement::Mapping> mappings(const placement::Strategy& mixed) const;
  /// As ordered, best axis order, searched.
  [[nodiscard]] std::vector<placement::MappingOption> ways(const placement::Strategy& mixed) const;
  /// Where the best is to run; a document gets how good the ways are where they were looked for,
  /// and with other jobs on the cluster, its leaf groups.
  [[nodiscard]] placement::Mapping taken(const placement::Verified& best, ResultDocument& document,
                                         Context& context) const;

 private:
  const placement::PlaceProblem& problem_;
  const placement::Mapper& mapper_;
};

}  // namespace railyard::apps
