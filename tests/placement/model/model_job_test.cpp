#include "placement/model/model_job.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/diagnostic.hpp"

namespace railyard::placement {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// A config.json of a model that accepts 131,072 tokens, in the folder of the test.
std::string long_model() {
  const auto file = std::filesystem::path(::testing::TempDir()) / "long_config.json";
  std::ofstream(file) << R"({"model_type": "qwen2", "num_hidden_layers": 48, "hidden_size": 5120,
    "intermediate_size": 13824, "num_attention_heads": 40, "num_key_value_heads": 8,
    "vocab_size": 152064, "max_position_embeddings": 131072})";
  return file.string();
}

// 4,194,304 tokens per step / 8192 = 512 sequences. The longest input of a model is not what it is
// trained on.
TEST(ModelJob, TakesSequencesOfAtMost8192Tokens) {
  const ModelJob made = job_of_model(long_model(), {});
  EXPECT_EQ(made.job.sequence, 8192);
  EXPECT_EQ(made.job.batch, 512);
  EXPECT_THAT(made.note, HasSubstr("a batch of 512 sequences of 8192 tokens"));
  EXPECT_THAT(made.note, HasSubstr("accepts 131072 tokens: set the length with --sequence"));
}

TEST(ModelJob, SaysWhatItAssumesAlsoWithABatch) {
  const ModelJob made = job_of_model(long_model(), 256);
  EXPECT_EQ(made.job.batch, 256);
  EXPECT_THAT(made.note, HasSubstr("a batch of 256 sequences of 8192 tokens; the model accepts"));
}

// 4,194,304 / 131,072 = 32.
TEST(ModelJob, TakesTheSequenceThatIsGiven) {
  const ModelJob made = job_of_model(long_model(), {}, 131072);
  EXPECT_EQ(made.job.sequence, 131072);
  EXPECT_EQ(made.job.batch, 32);
  EXPECT_THAT(made.note, Not(HasSubstr("--sequence")));
  EXPECT_EQ(job_of_model("llama3_8b", 64, 2048).job.sequence, 2048);
  EXPECT_THAT(job_of_model("llama3_8b", 64, 2048).note, HasSubstr("llama3_8b gives precision: a"));
  EXPECT_THAT(job_of_model("llama3_8b", 64).note, HasSubstr("gives sequence and precision: a"));
}

TEST(ModelJob, ARepositoryOfHuggingFaceIsNoFile) {
  try {
    (void)job_of_model("Qwen/Qwen2.5-14B", {});
    FAIL() << "a model that is not there";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("for a model of Hugging Face give its file config.json"));
  }
}

}  // namespace
}  // namespace railyard::placement
