#include "placement/capacity/training/training_size.hpp"

#include <gtest/gtest.h>

namespace railyard::placement {
namespace {

// Per token 6 operations for each of the 12 · 96 · 12,288^2 parameters of the layers, 12 · 96 ·
// 2,048 · 12,288 for attention and 6 · 51,200 · 12,288 for the head: 313.1 + 8.7 + 1.1 ZFLOP of
// 300e9 tokens. A checkpoint has 14 bytes per parameter.
TEST(TrainingSize, CountsOperationsAndBytesOfACheckpoint) {
  EXPECT_EQ(training_size_text(read_job("gpt3_175b")),
            "GPT-3 175B, 300 billion tokens: the training needs 322.9 ZFLOP (3738 PFLOP-days), "
            "attention and head included; a checkpoint has 2445 GB");
}

TEST(TrainingSize, IsEmptyWithoutTokens) {
  Job job = read_job("gpt3_175b");
  job.tokens = 0;
  EXPECT_EQ(training_size_text(job), "");
}

}  // namespace
}  // namespace railyard::placement
