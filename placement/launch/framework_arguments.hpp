#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "placement/launch/launch_plan.hpp"

namespace railyard::placement {

/// Megatron-LM arguments of the plan, one "--flag" or "--flag value" each. Requires a checked plan.
[[nodiscard]] std::vector<std::string> megatron_arguments(const LaunchPlan& plan);

/// What was read of a Megatron-LM command line.
struct MegatronArguments {
  LaunchPlan plan;
  std::vector<std::string> ignored;  ///< flags that say nothing about parallelism, in order
  std::vector<std::string> notes{};  ///< what flags say that a plan cannot, a line each
};

/// Reads Megatron-LM arguments as in launch scripts: "--flag value", "--flag=value", quotes,
/// comments and backslashes at ends of lines. `gpus` gives dp = gpus / (tp x pp x cp). Flags that
/// are not about parallelism are ignored, unless they look like a misspelt one. Throws InputError
/// with `where` as file, every problem with its line, flags that contradict each other as
/// Megatron's own checks have it (megatron/training/arguments.py); then what check_launch_plan
/// finds.
[[nodiscard]] MegatronArguments parse_megatron_arguments(std::string_view text, int gpus,
                                                         const std::string& where = "");

/// DeepSpeed's configuration (JSON): zero_optimization.stage, batch sizes, precision. Tensor and
/// pipeline sizes are not in it; they go to the launcher's arguments.
[[nodiscard]] std::string deepspeed_config(const LaunchPlan& plan);

/// TorchTitan's configuration (TOML): [parallelism], [training], [activation_checkpoint]. ZeRO 0
/// replicates, 1 to 3 shard over dp; 3 reshards after forward.
[[nodiscard]] std::string torchtitan_config(const LaunchPlan& plan);

}  // namespace railyard::placement
