#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/diagnostic.hpp"
#include "placement/launch/framework_arguments.hpp"
#include "placement/launch/job_plan.hpp"
#include "placement/strategy/divisors.hpp"
#include "placement/strategy/stages.hpp"
#include "placement/strategy/strategy_check.hpp"

namespace railyard::placement {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

MegatronArguments read(const std::string& text, int gpus = 8) {
  return parse_megatron_arguments(text, gpus, "run.sh");
}
Strategy strategy(const std::string& text, int gpus = 8) {
  return strategy_of(read(text, gpus).plan);
}

const std::string kPipe = "--num-layers 32 --pipeline-model-parallel-size 4 ";

// Uneven stages: 32 layers less 5 and 3 leave 12 each to the two between.
TEST(MegatronPipeline, FirstAndLastStagesOfTheirOwn) {
  EXPECT_THAT(strategy(kPipe + "--decoder-first-pipeline-num-layers 5 "
                               "--decoder-last-pipeline-num-layers 3")
                  .layers,
              ElementsAre(5, 12, 12, 3));
  EXPECT_THAT(strategy(kPipe + "--decoder-last-pipeline-num-layers 2").layers,
              ElementsAre(10, 10, 10, 2));
  // In two chunks each stage's layers are halved: 4, 12, 12, 4 becomes 2, 6, 6, 2 twice.
  const Strategy chunks =
      strategy(kPipe +
               "--decoder-first-pipeline-num-layers 4 --decoder-last-pipeline-num-layers 4 "
               "--num-virtual-stages-per-pipeline-rank 2");
  EXPECT_EQ(chunks.interleave, 2);
  EXPECT_EQ(chunks.schedule, PipelineSchedule::interleaved);
  EXPECT_THAT(chunks.layers, ElementsAre(2, 6, 6, 2, 2, 6, 6, 2));
}

TEST(MegatronPipeline, EmbeddingAndLossAsLayers) {
  const std::string both =
      " --account-for-embedding-in-pipeline-split --account-for-loss-in-pipeline-split ";
  const std::string pipe = "--num-layers 30 --pipeline-model-parallel-size 4";
  EXPECT_TRUE(strategy(pipe + both).even_ends);
  // 32 units over four ranks of two chunks are four each.
  EXPECT_EQ(strategy(pipe + both + "--num-layers-per-virtual-pipeline-stage 4").interleave, 2);
  // The loss alone: 31 and it are 32, eight a stage, and the last has seven layers.
  EXPECT_THAT(strategy("--num-layers 31 --pipeline-model-parallel-size 4 "
                       "--account-for-loss-in-pipeline-split")
                  .layers,
              ElementsAre(8, 8, 8, 7));
}

TEST(MegatronPipeline, LayoutsHaveStagesAndChunks) {
  EXPECT_THAT(strategy(kPipe + "--pipeline-model-parallel-layout 'Et*7|(t*9|)*2t*7L'").layers,
              ElementsAre(7, 9, 9, 7));
  const MegatronArguments deepseek = read(
      "--num-layers 61 --pipeline-model-parallel-size 16 --mtp-num-layers 1 "
      "--pipeline-model-parallel-layout \"Et*3|(tt|)*29,m|L\"",
      16);
  EXPECT_EQ(deepseek.plan.interleave, 2);
  EXPECT_EQ(deepseek.plan.stage_layers.size(), 32U);
  EXPECT_THAT(deepseek.notes,
              ElementsAre("--mtp-num-layers: multi-token prediction is not counted"));
  Job job = read_job("deepseek_v3");
  job.batch = 256;
  EXPECT_TRUE(is_valid(job, strategy_of(deepseek.plan), 16));
}

TEST(MegatronPipeline, MessagesOfChunksOverlapUnlessToldOtherwise) {
  const std::string chunks = kPipe + "--num-virtual-stages-per-pipeline-rank 2 ";
  EXPECT_TRUE(strategy(chunks).pp_overlap);
  EXPECT_FALSE(strategy(chunks + "--no-overlap-p2p-communication").pp_overlap);
  EXPECT_FALSE(strategy(kPipe).pp_overlap);
}

// Versions that had encoder stages: two in front of four make six, of eight ranks none is left over
// for replicas but for twelve GPUs.
TEST(MegatronPipeline, EncoderStagesOfOlderVersions) {
  const std::string t5 =
      "--encoder-num-layers 24 --decoder-num-layers 24 --encoder-seq-length 512 "
      "--decoder-seq-length 128 --pipeline-model-parallel-size 4 "
      "--encoder-pipeline-model-parallel-size 2 --encoder-tensor-model-parallel-size 1";
  const MegatronArguments arguments = read(t5, 12);
  const Strategy s = strategy_of(arguments.plan);
  EXPECT_EQ(s.pp, 6);
  EXPECT_EQ(s.dp, 2);
  EXPECT_EQ(s.tower_stages, 2);
  EXPECT_EQ(arguments.plan.encoder_sequence, 512);
  EXPECT_EQ(arguments.plan.sequence_length, 128);
  EXPECT_EQ(strategy("--encoder-num-layers 24 --decoder-num-layers 24 "
                     "--pipeline-model-parallel-size 4 --pipeline-model-parallel-split-rank 2")
                .tower_stages,
            2);
}

TEST(MegatronSharding, EachWayIsRead) {
  EXPECT_EQ(strategy("--use-distributed-optimizer").zero, 1);
  EXPECT_EQ(strategy("--use-torch-fsdp2").zero, 3);
  EXPECT_EQ(strategy("--use-torch-fsdp2 --torch-fsdp2-no-reshard-after-forward").zero, 2);
  EXPECT_EQ(strategy("--use-custom-fsdp --use-distributed-optimizer "
                     "--data-parallel-sharding-strategy optim_grads_params")
                .zero,
            3);
  // Four copies over 8 replicas: two ranks share one.
  EXPECT_EQ(
      strategy("--use-distributed-optimizer --num-distributed-optimizer-instances 4").shard_group,
      2);
}

TEST(MegatronRecompute, ModulesOtherThanAttentionAreNoted) {
  const MegatronArguments both =
      read("--recompute-granularity selective --recompute-modules core_attn mlp --bf16");
  EXPECT_EQ(both.plan.recompute, LaunchRecompute::selective);
  EXPECT_THAT(both.notes, ElementsAre("--recompute-modules: mlp is not computed again"));
  EXPECT_EQ(read("--recompute-granularity selective --recompute-modules layernorm").plan.recompute,
            LaunchRecompute::none);
  const Strategy three = strategy(
      "--recompute-granularity selective --recompute-modules layernorm moe_act mla_up_proj");
  EXPECT_TRUE(three.recompute_norms && three.recompute_act && three.recompute_mla);
  EXPECT_EQ(three.recompute, Recompute::none);
}

TEST(MegatronFlags, HarmlessOnesAreNoted) {
  const MegatronArguments arguments =
      read(kPipe +
           "--num-virtual-stages-per-pipeline-rank 2 "
           "--microbatch-group-size-per-virtual-pipeline-stage 8 --sequence-parallel "
           "--data-parallel-sharding-strategy optim --lr 1e-4 --overlap-cpu-optimizer-d2h-h2d");
  EXPECT_THAT(arguments.ignored, ElementsAre("--lr", "--overlap-cpu-optimizer-d2h-h2d"));
  EXPECT_THAT(
      arguments.notes,
      ElementsAre(HasSubstr("--microbatch-group-size-per-virtual-pipeline-stage: each chunk"),
                  "--sequence-parallel: no effect with a tensor-parallel size of 1",
                  HasSubstr("ignored without --use-megatron-fsdp")));
  EXPECT_FALSE(arguments.plan.sequence_parallel);
}

struct Refused {
  const char* arguments;
  const char* message;
};
class MegatronRefuses : public testing::TestWithParam<Refused> {};

// What megatron/training/arguments.py asserts, and what says nothing that could be run.
TEST_P(MegatronRefuses, NamesTheArgument) {
  EXPECT_THAT([&] { (void)read(GetParam().arguments); },
              ThrowsMessage<InputError>(HasSubstr(GetParam().message)));
}

INSTANTIATE_TEST_SUITE_P(
    All, MegatronRefuses,
    testing::Values(
        Refused{"--bf16 --fp16", "--fp16 contradicts --bf16"},
        Refused{"--num-layers 8 --encoder-num-layers 8",
                "--encoder-num-layers contradicts --num-layers"},
        Refused{"--num-layers 8 --pipeline-model-parallel-size 2 "
                "--pipeline-model-parallel-layout Et*4|t*4L "
                "--account-for-loss-in-pipeline-split",
                "--pipeline-model-parallel-layout contradicts "
                "--account-for-loss-in-pipeline-split"},
        Refused{
            "--num-layers 8 --pipeline-model-parallel-size 2 "
            "--num-layers-per-virtual-pipeline-stage 2 --num-virtual-stages-per-pipeline-rank 2",
            "contradicts --num-layers-per-virtual-pipeline-stage"},
        Refused{"--num-layers 9 --pipeline-model-parallel-size 2 "
                "--pipeline-model-parallel-layout Et*4|t*4L",
                "--pipeline-model-parallel-layout has 8 layers, --num-layers is 9"},
        Refused{"--num-layers 8 --pipeline-model-parallel-size 4 "
                "--pipeline-model-parallel-layout Et*4|t*4L",
                "has 2 stages, which 4 pipeline ranks do not divide"},
        Refused{"--num-layers 8 --pipeline-model-parallel-size 4 "
                "--decoder-first-pipeline-num-layers 1",
                "--decoder-first-pipeline-num-layers leaves 7 layers for 3 stages"},
        Refused{"--num-layers 8 --pipeline-model-parallel-size 2 "
                "--num-virtual-stages-per-pipeline-rank 2 --no-overlap-p2p-communication",
                "--no-overlap-p2p-communication needs more than two pipeline ranks"},
        Refused{"--tensor-model-parallel-size 2 --tp-comm-overlap",
                "--tp-comm-overlap needs --sequence-parallel"},
        Refused{"--use-distributed-optimizer --overlap-param-gather",
                "--overlap-param-gather needs --overlap-grad-reduce"},
        Refused{"--overlap-grad-reduce --overlap-param-gather",
                "--overlap-param-gather needs --use-distributed-optimizer"},
        Refused{"--optimizer-cpu-offload",
                "--optimizer-cpu-offload needs --use-precision-aware-optimizer"},
        Refused{"--use-torch-fsdp2 --use-distributed-optimizer",
                "--use-torch-fsdp2 contradicts --use-distributed-optimizer"},
        Refused{"--recompute-granularity full --recompute-activations",
                "--recompute-activations is selective"},
        Refused{"--recompute-granularity selective --recompute-method block",
                "--recompute-method requires --recompute-granularity full"},
        Refused{"--cp-comm-type ring", "--cp-comm-type cannot be 'ring'"},
        Refused{"--use-distributed-optimizer --num-distributed-optimizer-instances 3",
                "3 copies of the optimizer do not divide the 8 replicas"},
        Refused{"--tensor-model-parallel-size 2 --encoder-tensor-model-parallel-size 1",
                "--encoder-tensor-model-parallel-size is 1, --tensor-model-parallel-size 2"},
        Refused{"--tensor-model-parallel-size 4000000 --pipeline-model-parallel-size 4000000",
                "8 GPUs do not divide by tp x pp x cp = 16000000000000"},
        Refused{"--num-layers 5000", "--num-layers is 5000, more than 4096"}));

// Any words are a plan that holds together, or an error.
TEST(MegatronFlags, OddValuesAreReadOrRefused) {
  const std::vector<std::string> flags{"--tensor-model-parallel-size",
                                       "--pipeline-model-parallel-size",
                                       "--context-parallel-size",
                                       "--expert-model-parallel-size",
                                       "--num-layers",
                                       "--encoder-num-layers",
                                       "--decoder-num-layers",
                                       "--num-virtual-stages-per-pipeline-rank",
                                       "--num-layers-per-virtual-pipeline-stage",
                                       "--decoder-first-pipeline-num-layers",
                                       "--decoder-last-pipeline-num-layers",
                                       "--account-for-loss-in-pipeline-split",
                                       "--pipeline-model-parallel-layout",
                                       "--encoder-pipeline-model-parallel-size",
                                       "--pipeline-model-parallel-split-rank",
                                       "--num-distributed-optimizer-instances",
                                       "--use-distributed-optimizer",
                                       "--recompute-granularity",
                                       "--recompute-num-layers",
                                       "--recompute-method",
                                       "--micro-batch-size",
                                       "--global-batch-size"};
  const std::vector<std::string> values{"0",     "1",    "2",        "3",          "8",
                                        "4096",  "-1",   "16777216", "2147483647", "99999999999",
                                        "Et|tL", "full", "block",    "",           "="};
  std::mt19937 random(6);
  const auto one_of = [&](const std::vector<std::string>& from) {
    return from[random() % from.size()];
  };
  int taken = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (auto words = 1 + random() % 5; words > 0; --words)
      text += one_of(flags) + " '" + one_of(values) + "' ";
    try {
      const Strategy s = strategy(text, 64);
      EXPECT_EQ(s.gpus(), 64) << text;
      ++taken;
    } catch (const InputError& error) {
      EXPECT_FALSE(error.diagnostics().empty());
    }
  }
  EXPECT_GT(taken, 100);
}

/// A strategy of the job at random; most are neither valid nor Megatron's.
class Chance {
 public:
  explicit Chance(unsigned seed) : random_(seed) {}

  Strategy strategy(const Job& job, int gpus) {
    Strategy s{.tp = one_of(divisors(gpus, 16)), .pp = one_of(divisors(gpus, 16))};
    s.cp = flip(4) ? 2 : 1;
    s.dp = std::max(1, gpus / (s.tp * s.pp * s.cp));
    if (job.model.moe) {
      s.ep = one_of(divisors(std::max(1, s.tp * s.dp * s.cp), 64));
      s.etp = flip() ? s.tp : 1;
      s.ep_overlap = flip(4);
    }
    s.zero = one_of({0, 1, 1, 1, 2, 3});
    if (s.zero == 1 && flip(3)) s.shard_group = one_of(divisors(s.replicas(), s.replicas()));
    // All replicas as one group say what no group says.
    if (s.shard_group == s.replicas()) s.shard_group = 0;
    s.micro_batch = one_of({1, 2, 4});
    s.sequence_parallel = s.tp > 1 && flip(2, 3);
    if (s.pp > 1) pipeline(job, s);
    s.recompute = one_of({Recompute::none, Recompute::selective, Recompute::full});
    if (s.recompute == Recompute::full && flip()) s.recompute_layers = one_of({1, 2, 4, 6});
    if (s.recompute != Recompute::full) {
      s.recompute_norms = flip();
      s.recompute_act = flip();
      s.recompute_mla = job.model.mla && flip();
    }
    if (s.cp > 1)
      s.context = one_of({ContextKind::ring, ContextKind::all_gather, ContextKind::ulysses});
    s.tp_overlap = s.sequence_parallel && flip();
    s.dp_overlap = flip();
    s.offload_optimizer = flip(4);
    s.offload_activations = flip(20);
    s.early_stop = flip(20);
    return s;
  }

 private:
  void pipeline(const Job& job, Strategy& s) {
    s.interleave = one_of({1, 1, 2, 3, 4});
    if (s.interleave > 1) s.schedule = PipelineSchedule::interleaved;
    s.pp_overlap = s.interleave > 1 && flip(2, 3);
    if (flip(10)) s.schedule = PipelineSchedule::zero_bubble;
    const int way = one_of({0, 0, 1, 2});
    s.even_ends = way == 1;
    if (way != 2) return;
    std::vector<int> cuts{0, job.model.layers};
    for (int i = 1; i < s.pp * s.interleave; ++i) cuts.push_back(below(job.model.layers + 1));
    std::ranges::sort(cuts);
    for (std::size_t i = 1; i < cuts.size(); ++i) s.layers.push_back(cuts[i] - cuts[i - 1]);
  }
  int below(int most) { return static_cast<int>(random_() % static_cast<unsigned>(most)); }
  bool flip(int of = 2) { return below(of) == 0; }
  bool flip(int times, int of) { return below(of) < times; }
  template <class T>
  T one_of(const std::vector<T>& from) {
    return from[static_cast<std::size_t>(below(static_cast<int>(from.size())))];
  }
  template <class T>
  T one_of(std::initializer_list<T> from) {
    return one_of(std::vector<T>(from));
  }

  std::mt19937 random_;
};

/// What the strategies of a round trip had among them.
struct Seen {
  int written = 0, stages = 0, chunks = 0, ends = 0, groups = 0, blocks = 0, experts = 0,
      operations = 0;
  void add(const Strategy& s) {
    ++written;
    stages += s.layers.empty() ? 0 : 1;
    chunks += !s.layers.empty() && s.interleave > 1 ? 1 : 0;
    ends += s.even_ends ? 1 : 0;
    groups += s.shard_group > 0 ? 1 : 0;
    blocks += s.recompute_layers > 0 && s.interleave > 1 ? 1 : 0;
    experts += s.ep > 1 && s.ep_overlap ? 1 : 0;
    operations += s.recomputes_operations() ? 1 : 0;
  }
};

/// Layers of stages that differ are listed, as Megatron's layout does.
Strategy with_listed_stages(const Job& job, const Strategy& s) {
  const int units = job.model.layers + (s.even_ends ? 2 : 0), chunks = s.pp * s.interleave;
  Strategy listed = s;
  if (!s.layers.empty() || units % chunks == 0) return listed;
  for (int chunk = 0; chunk < chunks; ++chunk)
    listed.layers.push_back(chunk_layers(job.model, s, chunk).total());
  listed.even_ends = false;
  return listed;
}

class MegatronRoundTrip : public testing::TestWithParam<const char*> {};

// Every strategy that --emit megatron writes is what --from-megatron reads.
TEST_P(MegatronRoundTrip, GivesTheSameStrategyBack) {
  const Job job = read_job(GetParam());
  Chance chance(20'26);
  Seen seen;
  for (int i = 0; i < 40'000 && seen.written < 400; ++i) {
    const int gpus = 16 << (i % 4);
    const Strategy s = chance.strategy(job, gpus);
    if (!is_valid(job, s, gpus) || !inexpressible(Framework::megatron, job, s).empty()) continue;
    seen.add(s);
    const std::string text = framework_file(Framework::megatron, job, s);
    const MegatronArguments back = read(text, gpus);
    EXPECT_EQ(to_text(strategy_of(back.plan)), to_text(with_listed_stages(job, s))) << text;
    EXPECT_EQ(back.plan.layers, job.model.layers);
    EXPECT_EQ(back.plan.global_batch, job.batch);
    EXPECT_EQ(back.plan.sequence_length, job.sequence);
    EXPECT_TRUE(back.notes.empty());
  }
  EXPECT_GE(seen.written, 100);
  EXPECT_GT(seen.groups, 0);
  EXPECT_EQ(seen.experts > 0, job.model.moe.has_value());
  EXPECT_GT(seen.operations, 0);
  if (job.model.encoder) return;  // without a pipeline
  EXPECT_GT(seen.stages, 0);
  EXPECT_GT(seen.chunks, 0);
  EXPECT_GT(seen.blocks, 0);
  EXPECT_GT(seen.ends, 0);
}

INSTANTIATE_TEST_SUITE_P(Jobs, MegatronRoundTrip,
                         testing::Values("gpt3_175b", "llama3_8b", "llama3_70b", "mixtral_8x7b",
                                         "deepseek_v3", "t5_v1_1_xxl", "mistral_clip_7b"));

}  // namespace
}  // namespace railyard::placement
