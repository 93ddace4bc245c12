#include "placement/serving/emit/engine_files.hpp"

#include <fmt/format.h>

#include <string_view>

#include "core/config/enum_names.hpp"
#include "placement/launch/indented.hpp"
#include "placement/launch/placeholder.hpp"

namespace railyard::placement::serving {
namespace {

/// Replicas of an option that have the same start script.
struct Pool {
  std::string_view role;  ///< name of its script and of its Kubernetes objects
  const Deployment& deployment;
  int replicas = 0;
  bool disaggregated = false;
};

struct Source {
  const Pool& pool;
  std::string model, draft;
  int gpus_per_node = 8;
};

constexpr int kPort = 8000;

bool kv_is_fp8(const Deployment& d) { return d.formats.kv == NumberFormat::fp8; }

void add(std::string& command, std::string_view argument) {
  command += fmt::format(" \\\n  {}", argument);
}

/// Command-line options of vLLM, one per line, without model, port and pool role.
std::vector<std::string> vllm_options(const Source& s) {
  const Deployment& d = s.pool.deployment;
  std::vector<std::string> o{fmt::format("--tensor-parallel-size {}", d.tp)};
  if (d.pp > 1) o.push_back(fmt::format("--pipeline-parallel-size {}", d.pp));
  if (d.attention_dp > 1) o.push_back(fmt::format("--data-parallel-size {}", d.attention_dp));
  if (d.ep > 1) o.emplace_back("--enable-expert-parallel");
  if (d.formats.mlp == NumberFormat::fp8) o.emplace_back("--quantization fp8");
  if (kv_is_fp8(d)) o.emplace_back("--kv-cache-dtype fp8");
  o.push_back(fmt::format("--max-num-seqs {}", d.max_sequences));
  o.push_back(fmt::format("--max-num-batched-tokens {}", d.token_budget));
  o.push_back(fmt::format("--block-size {}", d.block_tokens));
  o.push_back(fmt::format("--gpu-memory-utilization {}", d.memory_share));
  if (!d.graphs) o.emplace_back("--enforce-eager");
  if (d.speculation.tokens > 0)
    o.push_back(fmt::format(R"(--speculative-config "{{{}, \"num_speculative_tokens\": {}}}")",
                            s.draft.empty() ? R"(\"method\": \"mtp\")" : R"(\"model\": \"$DRAFT\")",
                            d.speculation.tokens));
  return o;
}

std::vector<std::string> sglang_options(const Source& s) {
  const Deployment& d = s.pool.deployment;
  std::vector<std::string> o{fmt::format("--tp-size {}", d.tp * d.attention_dp)};
  if (d.pp > 1) o.push_back(fmt::format("--pp-size {}", d.pp));
  if (d.attention_dp > 1)
    o.push_back(fmt::format("--dp-size {} --enable-dp-attention", d.attention_dp));
  if (d.ep > 1) o.push_back(fmt::format("--ep-size {}", d.ep));
  if (d.formats.mlp == NumberFormat::fp8) o.emplace_back("--quantization fp8");
  if (kv_is_fp8(d)) o.emplace_back("--kv-cache-dtype fp8_e4m3");
  o.push_back(fmt::format("--max-running-requests {}", d.max_sequences));
  o.push_back(fmt::format("--chunked-prefill-size {}", d.token_budget));
  o.emplace_back("--enable-mixed-chunk");
  o.push_back(fmt::format("--page-size {}", d.block_tokens));
  o.push_back(fmt::format("--mem-fraction-static {}", d.memory_share));
  if (!d.graphs) o.emplace_back("--disable-cuda-graph");
  if (d.speculation.tokens > 0) {
    o.push_back(fmt::format("--speculative-algorithm {} --speculative-num-steps {}",
                            s.draft.empty() ? "EAGLE" : "STANDALONE", d.speculation.tokens));
    o.push_back(fmt::format("--speculative-eagle-topk 1 --speculative-num-draft-tokens {}",
                            d.speculation.tokens + 1));
    if (!s.draft.empty()) o.emplace_back("--speculative-draft-model-path \"$DRAFT\"");
  }
  return o;
}

std::vector<std::string> trtllm_arguments(const Source& s) {
  const Deployment& d = s.pool.deployment;
  std::vector<std::string> o{fmt::format("--tp_size {}", d.tp * d.attention_dp)};
  if (d.pp > 1) o.push_back(fmt::format("--pp_size {}", d.pp));
  if (d.ep > 1) o.push_back(fmt::format("--ep_size {}", d.ep));
  o.push_back(fmt::format("--max_batch_size {}", d.max_sequences));
  o.push_back(fmt::format("--max_num_tokens {}", d.token_budget));
  // The flag is a share of the memory that weights leave free. The plan's share is of all memory.
  o.push_back(fmt::format("--kv_cache_free_gpu_memory_fraction {}", d.memory_share));
  o.emplace_back("--extra_llm_api_options trtllm_options.yaml");
  return o;
}

std::string trtllm_options(const Source& s) {
  const Deployment& d = s.pool.deployment;
  std::string text = "enable_chunked_prefill: true\n";
  text += fmt::format("enable_attention_dp: {}\n", d.attention_dp > 1);
  text += fmt::format("kv_cache_config:\n  dtype: {}\n  enable_block_reuse: true\n",
                      kv_is_fp8(d) ? "fp8" : "auto");
  text += d.graphs ? "cuda_graph_config:\n  enable_padding: true\n" : "cuda_graph_config: null\n";
  if (d.speculation.tokens > 0)
    text += fmt::format("speculative_config:\n  decoding_type: {}\n  {}: {}\n",
                        s.draft.empty() ? "MTP" : "DraftTarget",
                        s.draft.empty() ? "num_nextn_predict_layers" : "max_draft_len",
                        d.speculation.tokens);
  return text;
}

std::vector<std::string> options_of(const Source& s) {
  switch (s.pool.deployment.engine) {
    case Engine::sglang: return sglang_options(s);
    case Engine::trtllm: return trtllm_arguments(s);
    case Engine::vllm: break;
  }
  return vllm_options(s);
}

std::string command_of(const Source& s) {
  const Engine engine = s.pool.deployment.engine;
  std::string c = engine == Engine::sglang
                      ? "python3 -m sglang.launch_server --model-path \"$MODEL\" --host 0.0.0.0"
                  : engine == Engine::trtllm
                      ? "trtllm-serve serve \"$MODEL\" --backend pytorch --host 0.0.0.0"
                      : "vllm serve \"$MODEL\"";
  add(c, fmt::format("--port {}", kPort));
  for (const std::string& option : options_of(s)) add(c, option);
  if (s.pool.disaggregated && engine == Engine::vllm)
    add(c, R"(--kv-transfer-config '{"kv_connector": "NixlConnector", "kv_role": "kv_both"}')");
  if (s.pool.disaggregated && engine == Engine::sglang)
    add(c, fmt::format("--disaggregation-mode {}", s.pool.role));
  return c;
}

/// Command of an engine that runs as a worker of NVIDIA Dynamo. Dynamo starts the engine's server,
/// routes requests and moves KV caches.
std::string worker_command(const Source& s) {
  const Engine engine = s.pool.deployment.engine;
  std::string c = engine == Engine::sglang   ? "python3 -m dynamo.sglang --model-path \"$MODEL\""
                  : engine == Engine::trtllm ? "python3 -m dynamo.trtllm --model-path \"$MODEL\""
                                             : "python3 -m dynamo.vllm --model \"$MODEL\"";
  if (engine == Engine::trtllm) {
    const Deployment& d = s.pool.deployment;
    add(c, fmt::format("--tensor-parallel-size {}", d.tp * d.attention_dp));
    if (d.pp > 1) add(c, fmt::format("--pipeline-parallel-size {}", d.pp));
    if (d.ep > 1) add(c, fmt::format("--expert-parallel-size {}", d.ep));
    add(c, fmt::format("--max-batch-size {}", d.max_sequences));
    add(c, fmt::format("--max-num-tokens {}", d.token_budget));
    add(c, fmt::format("--free-gpu-memory-fraction {}", d.memory_share));
    add(c, "--extra-engine-args trtllm_options.yaml");
  } else {
    for (const std::string& option : options_of(s)) add(c, option);
  }
  if (!s.pool.disaggregated) return c;
  if (engine != Engine::vllm)
    add(c, fmt::format("--disaggregation-mode {}", s.pool.role));
  else if (s.pool.role == "prefill")
    add(c, "--is-prefill-worker");
  return c;
}

std::vector<Placeholder> places(const Source& s) {
  std::vector<Placeholder> all{
      {"MODEL", fmt::format("path or hub name of {} with {} weights", s.model,
                            core::enum_name(s.pool.deployment.formats.mlp))}};
  if (!s.draft.empty()) all.push_back({"DRAFT", fmt::format("path or hub name of {}", s.draft)});
  return all;
}

/// Settings of the pool that have no engine argument, as comments of the script.
std::string limits(const Source& s) {
  const Deployment& d = s.pool.deployment;
  std::string text;
  const auto say = [&](std::string_view line) {
    text += fmt::format("# Not expressed: {}.\n", line);
  };
  if (d.formats.mlp != NumberFormat::fp8 && d.formats.mlp != NumberFormat::bf16)
    say(fmt::format("the format {} of the weights, which the checkpoint decides",
                    core::enum_name(d.formats.mlp)));
  if (d.formats.kv != NumberFormat::fp8 && d.formats.kv != NumberFormat::bf16)
    say("the format of the KV cache; the engine chooses it");
  if (d.ep > 1 && d.engine == Engine::vllm && d.ep != d.expert_ranks())
    say(fmt::format("ep {}; vLLM spreads experts over all {} ranks", d.ep, d.expert_ranks()));
  if (d.speculation.tokens > 0)
    say(fmt::format("the acceptance of {}, which the plan assumes", d.speculation.acceptance));
  if (d.swap_bytes > 0)
    say(
        fmt::format("{:.0f} GB of host memory per GPU for preempted KV caches; the engine's KV "
                    "connector decides",
                    d.swap_bytes / 1e9));
  if (d.gpus() > s.gpus_per_node)
    say(
        fmt::format("a replica over {} hosts; start the engine with its own launcher (ray, "
                    "--nnodes, mpirun)",
                    (d.gpus() + s.gpus_per_node - 1) / s.gpus_per_node));
  return text;
}

std::string script(const Source& s) {
  const Pool& p = s.pool;
  std::string text = "#!/usr/bin/env bash\n";
  text += fmt::format("# One replica of {}{} on {} {}. The plan has {}.\n", s.model,
                      p.disaggregated ? fmt::format(" ({} pool)", p.role) : "", p.deployment.gpus(),
                      p.deployment.gpus() == 1 ? "GPU" : "GPUs", p.replicas);
  text += placeholder_comment(places(s)) + limits(s);
  text +=
      fmt::format("set -euo pipefail\n: \"${{MODEL:?set MODEL to the {} checkpoint}}\"\n", s.model);
  if (!s.draft.empty())
    text += fmt::format(": \"${{DRAFT:?set DRAFT to the {} checkpoint}}\"\n", s.draft);
  return text + "exec " + command_of(s) + "\n";
}

std::string_view image(Engine engine) {
  switch (engine) {
    case Engine::sglang: return "lmsysorg/sglang:TAG";
    case Engine::trtllm: return "nvcr.io/nvidia/tensorrt-llm/release:TAG";
    case Engine::vllm: break;
  }
  return "vllm/vllm-openai:TAG";
}

/// A script that writes the engine's options file, then replaces itself by `command` (exec).
std::string with_options(const Source& s, const std::string& command) {
  const std::string start = "exec " + command + "\n";
  if (s.pool.deployment.engine != Engine::trtllm) return start;
  return "cat > trtllm_options.yaml <<'OPTIONS'\n" + trtllm_options(s) + "OPTIONS\n" + start;
}

std::string manifest_of(const Source& s) {
  const Pool& p = s.pool;
  const Deployment& d = p.deployment;
  std::string text = fmt::format(
      "---\napiVersion: v1\nkind: Service\nmetadata:\n  name: {0}\nspec:\n"
      "  selector: {{app: {0}}}\n  ports: [{{port: {1}, targetPort: {1}}}]\n",
      p.role, kPort);
  text += fmt::format(
      "---\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {0}\nspec:\n  replicas: {1}\n"
      "  selector:\n    matchLabels: {{app: {0}}}\n  template:\n    metadata:\n"
      "      labels: {{app: {0}}}\n    spec:\n      containers:\n        - name: engine\n"
      "          image: {2}\n          command: [bash, -c]\n          args:\n            - |\n",
      p.role, p.replicas, image(d.engine));
  text += indented(with_options(s, command_of(s)), 14);
  text += "          env:\n            - {name: MODEL, value: MODEL}\n";
  if (!s.draft.empty()) text += "            - {name: DRAFT, value: DRAFT}\n";
  text += fmt::format(
      "          ports: [{{containerPort: {}}}]\n          resources:\n            limits: "
      "{{nvidia.com/gpu: {}}}\n          volumeMounts:\n"
      "            - {{name: shm, mountPath: /dev/shm}}\n      volumes:\n"
      "        - {{name: shm, emptyDir: {{medium: Memory}}}}\n",
      kPort, d.gpus());
  return text;
}

std::string_view worker_image(Engine engine) {
  switch (engine) {
    case Engine::sglang: return "nvcr.io/nvidia/ai-dynamo/sglang-runtime:TAG";
    case Engine::trtllm: return "nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:TAG";
    case Engine::vllm: break;
  }
  return "nvcr.io/nvidia/ai-dynamo/vllm-runtime:TAG";
}

std::string dynamo_start(Engine engine, bool keeps_prefixes) {
  std::string text =
      "apiVersion: nvidia.com/v1alpha1\nkind: DynamoGraphDeployment\nmetadata:\n  name: serve\n"
      "spec:\n  services:\n    Frontend:\n      componentType: frontend\n      replicas: 1\n";
  if (keeps_prefixes) text += "      envs:\n        - {name: DYN_ROUTER_MODE, value: kv}\n";
  return text + fmt::format("      extraPodSpec:\n        mainContainer:\n          image: {}\n",
                            worker_image(engine));
}

std::string dynamo_worker(const Source& s) {
  const Pool& p = s.pool;
  std::string text =
      fmt::format("    {}Worker:\n      componentType: worker\n", p.role == "prefill"  ? "Prefill"
                                                                  : p.role == "decode" ? "Decode"
                                                                                       : "Serve");
  if (p.disaggregated) text += fmt::format("      subComponentType: {}\n", p.role);
  text += fmt::format("      replicas: {}\n      resources:\n        limits: {{gpu: \"{}\"}}\n",
                      p.replicas, p.deployment.gpus());
  text += "      envs:\n        - {name: MODEL, value: MODEL}\n";
  if (!s.draft.empty()) text += "        - {name: DRAFT, value: DRAFT}\n";
  text += fmt::format(
      "      extraPodSpec:\n        mainContainer:\n          image: {}\n"
      "          command: [bash, -c]\n          args:\n            - |\n",
      worker_image(p.deployment.engine));
  return text + indented(with_options(s, worker_command(s)), 14);
}

}  // namespace

std::vector<EngineFile> engine_files(const ServingOption& option, const std::string& model,
                                     const std::string& draft, int gpus_per_node) {
  std::vector<Pool> pools;
  if (option.prefill) {
    pools.push_back({"prefill", *option.prefill, option.prefill_replicas, true});
    pools.push_back({"decode", option.deployment, option.replicas, true});
  } else {
    pools.push_back({"serve", option.deployment, option.replicas, false});
  }
  std::vector<EngineFile> files;
  std::string manifest, graph;
  for (const Pool& pool : pools) {
    const Source s{pool, model, draft, gpus_per_node};
    files.push_back({fmt::format("{}.sh", pool.role), script(s)});
    if (pool.deployment.engine == Engine::trtllm && &pool == &pools.front())
      files.push_back({"trtllm_options.yaml", trtllm_options(s)});
    if (manifest.empty()) {
      std::vector<Placeholder> all = places(s);
      all.push_back({"TAG", "version of the engine's image"});
      manifest = placeholder_comment(all);
      graph = manifest + limits(s) + dynamo_start(pool.deployment.engine, option.cached_share > 0);
    }
    manifest += limits(s) + manifest_of(s);
    graph += dynamo_worker(s);
  }
  if (option.prefill)
    manifest.insert(
        0,
        "# Not expressed: the router that sends a prompt to the prefill pool and its KV cache "
        "to the\n# decode pool (vLLM's proxy, sglang_router, trtllm-serve disaggregated, "
        "Dynamo).\n");
  files.push_back({"kubernetes.yaml", manifest});
  files.push_back({"dynamo.yaml", graph});
  return files;
}

}  // namespace railyard::placement::serving
