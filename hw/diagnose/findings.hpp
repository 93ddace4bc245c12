#pragma once

#include <vector>

#include "hw/diagnose/diagnosis.hpp"
#include "hw/diagnose/explanation.hpp"
#include "hw/diagnose/search.hpp"

namespace railyard::hw {

/// A finding per component.
[[nodiscard]] std::vector<Finding> component_findings(const std::vector<Accepted>& accepted,
                                                      const Samples& samples);

/// Findings about tests that no component explains: pairs that fluctuate, single slow runs, failed
/// and missing runs. A run that fluctuates has two sizes whose measurements in place and out of
/// place differ by more than 10 % and 8 standard deviations of such differences.
[[nodiscard]] std::vector<Finding> test_findings(const Explanation& explanation, double least);

}  // namespace railyard::hw
