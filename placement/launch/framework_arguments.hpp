#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "placement/launch/launch_plan.hpp"

namespace railyard::placement {

/// Megatron-LM arguments of the plan, one "--flag" or "--flag value" each. Requires a checked plan.
[[nodiscard]] std::vector<std::string> megatron_arguments(const LaunchPlan& plan);

/// Result of reading a Megatron-LM command line.
struct MegatronArguments {
  LaunchPlan plan;
  std::vector<std::string> ignored;  ///< flags that do not affect parallelism, in order
  std::vector<std::string> notes{};  ///< what flags set that a plan cannot express, one line each
};

/// Reads Megatron-LM arguments as in launch scripts: "--flag value", "--flag=value", quotes,
/// comments, and backslashes at ends of lines. dp = gpus / (tp x pp x cp). Flags that do not affect
/// parallelism are ignored, unless they look like a misspelt one. Throws InputError with `where` as
/// file and every problem with its line: invalid values, flags that Megatron-LM's own checks refuse
/// together (megatron/training/arguments.py), and the problems that check_launch_plan finds.
[[nodiscard]] MegatronArguments parse_megatron_arguments(std::string_view text, int gpus,
                                                         const std::string& where = "");

/// DeepSpeed's configuration (JSON): zero_optimization.stage, batch sizes, precision. It does not
/// contain tensor and pipeline sizes, which are arguments of the training program.
[[nodiscard]] std::string deepspeed_config(const LaunchPlan& plan);

/// TorchTitan's configuration (TOML): [parallelism], [training], [activation_checkpoint]. ZeRO 0
/// replicates, 1 to 3 shard over dp; 3 reshards after the forward pass.
[[nodiscard]] std::string torchtitan_config(const LaunchPlan& plan);

}  // namespace railyard::placement
