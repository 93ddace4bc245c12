#include "placement/serving/emit/engine_files.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace railyard::placement::serving {
namespace {

std::string text_of(const std::vector<EngineFile>& files, const std::string& name) {
  const auto found = std::ranges::find(files, name, &EngineFile::name);
  return found == files.end() ? "" : found->text;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Runs `command` with a file that holds `text`; its exit code.
int run_on(const std::string& command, const std::string& text) {
  const auto file = std::filesystem::path(testing::TempDir()) / "engine_file";
  std::ofstream(file) << text;
  return std::system((command + " " + file.string()).c_str());
}

ServingOption option_for(Engine engine) {
  return {.deployment = {.tp = 4,
                         .formats = {.mlp = NumberFormat::fp8, .kv = NumberFormat::fp8},
                         .engine = engine,
                         .token_budget = 4096,
                         .max_sequences = 128},
          .replicas = 3};
}

TEST(EngineFiles, EachEngineGetsTheSplitAndItsLimits) {
  const std::string vllm =
      text_of(engine_files(option_for(Engine::vllm), "llama3_70b", "", 8), "serve.sh");
  for (const char* part : {"--tensor-parallel-size 4", "--max-num-seqs 128", "--kv-cache-dtype fp8",
                           "--max-num-batched-tokens 4096", "--quantization fp8"})
    EXPECT_TRUE(has(vllm, part)) << part;
  EXPECT_FALSE(has(vllm, "--enforce-eager"));
  const std::string sglang =
      text_of(engine_files(option_for(Engine::sglang), "llama3_70b", "", 8), "serve.sh");
  for (const char* part :
       {"--tp-size 4", "--max-running-requests 128", "--chunked-prefill-size 4096"})
    EXPECT_TRUE(has(sglang, part)) << part;
  const auto trtllm = engine_files(option_for(Engine::trtllm), "llama3_70b", "", 8);
  EXPECT_TRUE(has(text_of(trtllm, "serve.sh"), "--tp_size 4"));
  EXPECT_TRUE(has(text_of(trtllm, "trtllm_options.yaml"), "dtype: fp8"));
}

TEST(EngineFiles, PoolsHaveAScriptAndADeploymentEach) {
  ServingOption option = option_for(Engine::sglang);
  option.prefill = Deployment{.tp = 2, .engine = Engine::sglang};
  option.prefill_replicas = 5;
  const auto files = engine_files(option, "llama3_70b", "", 8);
  EXPECT_TRUE(has(text_of(files, "prefill.sh"), "--disaggregation-mode prefill"));
  EXPECT_TRUE(has(text_of(files, "prefill.sh"), "--tp-size 2"));
  EXPECT_TRUE(has(text_of(files, "decode.sh"), "--disaggregation-mode decode"));
  const std::string manifest = text_of(files, "kubernetes.yaml");
  EXPECT_TRUE(has(manifest, "replicas: 5"));
  EXPECT_TRUE(has(manifest, "replicas: 3"));
  EXPECT_TRUE(has(manifest, "nvidia.com/gpu: 2"));
}

TEST(EngineFiles, DynamoHasAFrontendAndAWorkerPerPool) {
  ServingOption option = option_for(Engine::vllm);
  option.prefill = Deployment{.tp = 2, .engine = Engine::vllm};
  option.prefill_replicas = 5;
  const std::string graph = text_of(engine_files(option, "llama3_70b", "", 8), "dynamo.yaml");
  for (const char* part :
       {"kind: DynamoGraphDeployment", "PrefillWorker:", "subComponentType: prefill", "replicas: 5",
        "limits: {gpu: \"2\"}", "--is-prefill-worker", "DecodeWorker:", "replicas: 3",
        "limits: {gpu: \"4\"}", "python3 -m dynamo.vllm --model", "--tensor-parallel-size 4"})
    EXPECT_TRUE(has(graph, part)) << part;
  EXPECT_FALSE(has(graph, "DYN_ROUTER_MODE"));
  EXPECT_FALSE(has(graph, "--kv-transfer-config"));
  ServingOption cached = option_for(Engine::trtllm);
  cached.cached_share = 0.4;
  const std::string one = text_of(engine_files(cached, "llama3_70b", "", 8), "dynamo.yaml");
  for (const char* part : {"{name: DYN_ROUTER_MODE, value: kv}", "ServeWorker:",
                           "--extra-engine-args trtllm_options.yaml", "<<'OPTIONS'"})
    EXPECT_TRUE(has(one, part)) << part;
}

TEST(EngineFiles, NamesWhatAnEngineCannotExpress) {
  ServingOption option = option_for(Engine::vllm);
  option.deployment.tp = 16;
  option.deployment.formats.mlp = NumberFormat::nvfp4;
  option.deployment.speculation = {.tokens = 3, .acceptance = 0.7};
  const std::string text = text_of(engine_files(option, "llama3_70b", "", 8), "serve.sh");
  EXPECT_TRUE(has(text, "Not expressed: a replica over 2 hosts"));
  EXPECT_TRUE(has(text, "Not expressed: the format nvfp4"));
  EXPECT_TRUE(has(text, "Not expressed: the acceptance of 0.7"));
}

TEST(EngineFiles, ScriptsParseAndRunWhatTheyName) {
  for (const Engine engine : {Engine::vllm, Engine::sglang, Engine::trtllm})
    for (const int drafts : {0, 3}) {
      ServingOption option = option_for(engine);
      option.deployment.speculation = {.tokens = drafts, .acceptance = 0.7};
      const auto files = engine_files(option, "llama3_70b", drafts > 0 ? "llama3_8b" : "", 8);
      const std::string script = text_of(files, "serve.sh");
      EXPECT_EQ(run_on("bash -n", script), 0) << script;
      // Without MODEL it ends before the engine starts, with the reason.
      EXPECT_EQ(run_on(R"(sh -c 'env -u MODEL bash "$0" 2>&1 | grep -q "set MODEL to"')", script),
                0);
    }
}

}  // namespace
}  // namespace railyard::placement::serving
