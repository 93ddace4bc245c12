#pragma once

#include <string>
#include <vector>

#include "placement/serving/planner/serving_option.hpp"

namespace railyard::placement::serving {

/// A file that starts an inference engine, or that it reads.
struct EngineFile {
  std::string name{};
  std::string text{};
};

/// The files of an option of a plan: a script per pool that starts one replica of the engine
/// (serve.sh; prefill.sh and decode.sh of disaggregated pools), its options as YAML where the
/// engine reads them from a file, a Kubernetes manifest with a Deployment per pool and its
/// Service, and one of NVIDIA Dynamo (DynamoGraphDeployment, v1alpha1) with a frontend, which
/// routes by cached prefixes where the plan has any, and a worker per pool. Each begins with what
/// has to be filled in, and with what of the option it cannot express. `gpus_per_node`: of the
/// option's cluster; `draft` is a name, or empty. Arguments follow vLLM 0.11 (vllm serve), SGLang
/// 0.5 (sglang.launch_server) and TensorRT-LLM 1.0 (trtllm-serve).
[[nodiscard]] std::vector<EngineFile> engine_files(const ServingOption& option,
                                                   const std::string& model,
                                                   const std::string& draft, int gpus_per_node);

}  // namespace railyard::placement::serving
