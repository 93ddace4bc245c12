#include "hw/diagnose/answers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace railyard::hw {
namespace {

using ::testing::ElementsAre;

TEST(DiagnosisAnswers, StateWhatTheTestsCanShow) {
  Diagnosis diagnosis{.nodes = 6, .pairs = 15, .runs = 45};
  diagnosis.visible_slowdown = 0.05;
  EXPECT_THAT(diagnosis_answers(diagnosis),
              ElementsAre("No sick component found in 45 runs of 15 pairs of 6 nodes. These tests "
                          "can find a node that is slower by 5 % or more."));
  diagnosis.visible_slowdown.reset();
  EXPECT_NE(diagnosis_answers(diagnosis).front().find("too few to find a slow node"),
            std::string::npos);
}

TEST(DiagnosisAnswers, HaveProbabilityAlternativesEvidenceAndNextTest) {
  Diagnosis diagnosis{.nodes = 2, .pairs = 1, .runs = 3};
  diagnosis.findings = {{.kind = "gpu",
                         .component = "GPU 61 of n3",
                         .is_sick = true,
                         .probability = 0.8,
                         .alternatives = {"NIC 3 of n3", "n3"},
                         .evidence = "All runs are slow.",
                         .next_test = "Test it alone."},
                        {.kind = "slow_run", .component = "n1 and n2", .evidence = "One run."}};
  const auto answers = diagnosis_answers(diagnosis);
  ASSERT_EQ(answers.size(), 3U);
  EXPECT_EQ(answers[1],
            "1. GPU 61 of n3 (gpu, probability 0.800; also possible: NIC 3 of n3, n3). All runs "
            "are slow. Next: Test it alone.");
  EXPECT_EQ(answers[2].find("2. n1 and n2 (slow_run, not counted as sick). One run."), 0U);
}

}  // namespace
}  // namespace railyard::hw
