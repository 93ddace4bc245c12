#pragma once

#include <string>
#include <vector>

#include "placement/serving/planner/serving_option.hpp"

namespace railyard::placement::serving {

/// A start script of an inference engine, or a file that the engine reads.
struct EngineFile {
  std::string name{};
  std::string text{};
};

/// Files that deploy an option of a plan:
/// - a script per pool that starts one replica: serve.sh, or prefill.sh and decode.sh;
/// - the engine's options as YAML, if the engine reads them from a file;
/// - a Kubernetes manifest with one Deployment per pool and a Service;
/// - a DynamoGraphDeployment (v1alpha1) of NVIDIA Dynamo: a worker per pool and a frontend, which
///   routes by cached prefixes if the plan has any.
/// Each file begins with the values to fill in and the settings that it cannot express.
/// `gpus_per_node` is that of the option's cluster. `draft` is the name of the draft model, or
/// empty. Arguments follow vLLM 0.11 (vllm serve), SGLang 0.5 (sglang.launch_server) and
/// TensorRT-LLM 1.0 (trtllm-serve).
[[nodiscard]] std::vector<EngineFile> engine_files(const ServingOption& option,
                                                   const std::string& model,
                                                   const std::string& draft, int gpus_per_node);

}  // namespace railyard::placement::serving
