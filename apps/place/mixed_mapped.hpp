#pragma once

#include <vector>

#include "apps/output/rows.hpp"
#include "apps/place/mapped.hpp"
#include "placement/simulate/verify_search.hpp"

namespace railyard::apps {

/// Where the ranks of mixed strategies go: each on a free GPU of its type.
class MixedMapper {
 public:
  /// Question and mapper must outlive it.
  MixedMapper(const Question& question, const Mapper& mapper)
      : question_(question), mapper_(mapper) {}

  /// The searched mapping where one is looked for, and the ranks in order.
  [[nodiscard]] std::vector<placement::Mapping> mappings(const placement::Strategy& mixed) const;
  /// As ordered, best axis order, searched.
  [[nodiscard]] std::vector<Mapper::Way> ways(const placement::Strategy& mixed) const;
  /// Where the best is to run; a document gets how good the ways are where they were looked for,
  /// and with other jobs on the cluster, its units.
  [[nodiscard]] placement::Mapping taken(const placement::Verified& best, ResultDocument& document,
                                         Context& context) const;

 private:
  const Question& question_;
  const Mapper& mapper_;
};

}  // namespace railyard::apps
