#pragma once

#include <string>
#include <vector>

#include "hw/diagnose/diagnosis.hpp"

namespace railyard::hw {

/// A diagnosis as sentences: how many runs were compared and what they can show, then a sentence
/// per finding with its probability, evidence and next test.
[[nodiscard]] std::vector<std::string> diagnosis_answers(const Diagnosis& diagnosis);

}  // namespace railyard::hw
