#include "hw/diagnose/answers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace railyard::hw {
namespace {

std::string how_likely(const Finding& finding) {
  if (!finding.probability) return "";
  std::string text = *finding.probability > 0.9995
                         ? ", probability above 0.999"
                         : fmt::format(", probability {:.3f}", *finding.probability);
  if (!finding.alternatives.empty())
    text += "; also possible: " + fmt::format("{}", fmt::join(finding.alternatives, ", "));
  return text;
}

std::string head_sentence(const Diagnosis& diagnosis) {
  const std::string tests = fmt::format("{} runs of {} pairs of {} nodes", diagnosis.runs,
                                        diagnosis.pairs, diagnosis.nodes);
  const std::string visible =
      diagnosis.visible_slowdown
          ? fmt::format("These tests can find a node that is slower by {:.0f} % or more.",
                        100 * *diagnosis.visible_slowdown)
          : "These tests are too few to find a slow node: at least three nodes are required, and "
            "several pairs of each.";
  if (!has_sick(diagnosis)) return fmt::format("No sick component found in {}. {}", tests, visible);
  return fmt::format("Findings in {}. {}", tests, visible);
}

}  // namespace

std::vector<std::string> diagnosis_answers(const Diagnosis& diagnosis) {
  std::vector<std::string> answers{head_sentence(diagnosis)};
  int number = 0;
  for (const Finding& finding : diagnosis.findings)
    answers.push_back(fmt::format("{}. {} ({}{}{}). {} Next: {}", ++number, finding.component,
                                  finding.kind, finding.is_sick ? "" : ", not counted as sick",
                                  how_likely(finding), finding.evidence, finding.next_test));
  return answers;
}

}  // namespace railyard::hw
