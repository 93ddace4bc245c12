#include "placement/model/parameters.hpp"

#include <gtest/gtest.h>

#include "core/config/config_path.hpp"
#include "placement/model/job.hpp"

namespace railyard::placement {
namespace {

// arXiv 2104.04473, equation 2: P = 12 L h^2 (1 + 13/12h + (V + s)/12Lh), and the final norm's 2h.
TEST(Parameters, GptFollowsTheFormulaOfMegatron) {
  const Model gpt3 = read_model("gpt3_175b");
  const std::int64_t L = 96, h = 12288, V = 51200, s = 2048;
  EXPECT_EQ(count_parameters(gpt3).total, 12 * L * h * h + 13 * L * h + (V + s) * h + 2 * h);
}

// Llama 3 8B, by hand: attention 4096*(4096 + 2*1024) + 4096*4096 = 41,943,040; MLP 3*4096*14336 =
// 176,160,768; norms 2*4096; 32 layers: 6,979,584,000; embedding and head 128256*4096 each; norm
// 4096.
TEST(Parameters, Llama3HasGroupedHeadsAndThreeMatrices) {
  const ModelParameters p = count_parameters(read_model("llama3_8b"));
  EXPECT_EQ(p.layers, 32LL * (41'943'040 + 176'160'768 + 8192));
  EXPECT_EQ(p.total, p.layers + 2LL * 128256 * 4096 + 4096);
  EXPECT_EQ(p.total, 8'030'261'248);  // model card on Hugging Face
}

// Hugging Face counts 46.7B and 12.9B active: by hand 32 layers of attention 41,943,040, eight
// experts of 3*4096*14336 and a router 4096*8.
TEST(Parameters, MixtralCountsAllExpertsAndTwoActive) {
  const ModelParameters p = count_parameters(read_model("mixtral_8x7b"));
  EXPECT_EQ(p.total, 46'702'792'704);
  EXPECT_EQ(p.total - p.active, 32LL * 6 * 3 * 4096 * 14336);
  EXPECT_NEAR(static_cast<double>(p.active), 12.9e9, 0.05e9);
}

// DeepSeek-V3 report: 671B parameters, 37B active.
TEST(Parameters, DeepSeekV3HasLatentAttentionAndSharedExpert) {
  const ModelParameters p = count_parameters(read_model("deepseek_v3"));
  EXPECT_NEAR(static_cast<double>(p.total), 671e9, 0.5e9);
  // By hand: a layer has 187,107,328 of attention and 14,336 of norms; 3 of them an MLP of 3 * 7168
  // * 18432, 58 of them 257 experts of 3 * 7168 * 2048 and a router; two tables of 129280 * 7168.
  EXPECT_EQ(p.total, 61LL * (187'107'328 + 14'336) + 3LL * 396'361'728 +
                         58LL * (257 * 44'040'192LL + 7168 * 256) + 2LL * 129280 * 7168 + 7168);
  EXPECT_NEAR(static_cast<double>(p.active), 37e9, 1.0e9);
}

struct Published {
  const char* model;
  double billions, within;
};
class ShippedModel : public testing::TestWithParam<Published> {};
TEST_P(ShippedModel, HasItsPublishedSize) {
  const auto& [name, billions, within] = GetParam();
  EXPECT_NEAR(static_cast<double>(count_parameters(read_model(name)).total) / 1e9, billions,
              within);
}
// Sizes of the tables that the configs name as their source; they print one decimal or whole
// billions.
INSTANTIATE_TEST_SUITE_P(
    All, ShippedModel,
    testing::Values(Published{"megatron_1.7b", 1.7, 0.05}, Published{"megatron_3.6b", 3.6, 0.05},
                    Published{"megatron_7.5b", 7.5, 0.05}, Published{"megatron_18b", 18.4, 0.05},
                    Published{"megatron_39b", 39.1, 0.05}, Published{"megatron_76b", 76.1, 0.05},
                    Published{"megatron_145b", 145.6, 0.05},
                    Published{"megatron_310b", 310.1, 0.05}, Published{"megatron_530b", 529.6, 0.1},
                    Published{"megatron_1t", 1008, 0.5}, Published{"megatron_22b", 22, 0.5},
                    Published{"llama2_7b", 6.74, 0.01}, Published{"llama2_13b", 13.02, 0.01},
                    Published{"llama2_70b", 68.98, 0.01}, Published{"llama3_70b", 70.55, 0.01},
                    Published{"llama3_405b", 405.85, 0.05}, Published{"mixtral_8x22b", 140.6, 0.1},
                    Published{"bloom_176b", 176.2, 0.1}, Published{"baidu_260b", 260, 1.5}));

TEST(ShippedJobs, AllRead) {
  for (const std::string& name : core::config_names("jobs")) {
    const Job job = read_job(name);
    EXPECT_GT(job.tokens, 0) << name;
    EXPECT_FALSE(job.source.empty()) << name;
  }
}

}  // namespace
}  // namespace railyard::placement
