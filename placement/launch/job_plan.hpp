#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostic.hpp"
#include "placement/launch/launch_plan.hpp"
#include "placement/model/job.hpp"
#include "placement/strategy/strategy.hpp"

namespace railyard::placement {

/// Frameworks that arguments and configs are written for.
enum class Framework { megatron, deepspeed, torchtitan };
[[nodiscard]] std::string_view to_text(Framework framework);

/// A job and its strategy as a launch plan.
[[nodiscard]] LaunchPlan launch_plan(const Job& job, const Strategy& strategy);

/// The strategy of a launch plan (read from Megatron-LM arguments).
[[nodiscard]] Strategy strategy_of(const LaunchPlan& plan);

/// Settings of a strategy that the framework cannot express, one line each with a setting that it
/// could run instead; empty if there are none.
[[nodiscard]] std::vector<Diagnostic> inexpressible(Framework framework, const Job& job,
                                                    const Strategy& strategy);

/// Settings that the framework's file expresses only approximately, one line each.
[[nodiscard]] std::vector<std::string> framework_notes(Framework framework, const Job& job,
                                                       const Strategy& strategy);

/// Steps of a training: those for the job's tokens, or 100 without tokens (a first try).
[[nodiscard]] std::int64_t training_steps(const Job& job);

/// The framework's file for the strategy: Megatron-LM arguments (one flag per line, model
/// included), DeepSpeed's JSON, or TorchTitan's TOML. Throws InputError for what it cannot express.
[[nodiscard]] std::string framework_file(Framework framework, const Job& job,
                                         const Strategy& strategy);

}  // namespace railyard::placement
