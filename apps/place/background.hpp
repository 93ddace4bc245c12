#pragma once

#include <string>
#include <vector>

#include "apps/place/question.hpp"
#include "placement/mapping/evaluate.hpp"
#include "topology/cluster/faults.hpp"

namespace railyard::apps {

/// What the traffic of a question's other jobs leaves. Empty where they send nothing.
struct Background {
  std::vector<double> available{};      ///< bytes per second, by trunk
  std::vector<double> left_of_links{};  ///< from 0 to 1, by link

  /// Links of which something is taken.
  [[nodiscard]] std::vector<topology::Degradation> taken() const;
};
[[nodiscard]] Background background_of(const Question& question, const placement::Tiers& tiers);

/// How much of a link between switches, or inside a node that the job may use, other jobs take at
/// most; empty where they send nothing there.
[[nodiscard]] std::string text_of_taken(const Question& question,
                                        std::vector<topology::Degradation> taken);

}  // namespace railyard::apps
