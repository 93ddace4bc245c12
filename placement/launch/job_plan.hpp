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

/// What arguments and configs are written for.
enum class Framework { megatron, deepspeed, torchtitan };
[[nodiscard]] std::string_view to_text(Framework framework);

/// A strategy of a job in the words of launchers.
[[nodiscard]] LaunchPlan launch_plan(const Job& job, const Strategy& strategy);

/// The strategy that a plan (read from Megatron-LM arguments) describes.
[[nodiscard]] Strategy strategy_of(const LaunchPlan& plan);

/// What of a strategy the framework has no argument for, one line each with what it could run
/// instead; empty where it can express everything.
[[nodiscard]] std::vector<Diagnostic> inexpressible(Framework framework, const Job& job,
                                                    const Strategy& strategy);

/// Where the framework's file means something near the job and strategy, a line each.
[[nodiscard]] std::vector<std::string> framework_notes(Framework framework, const Job& job,
                                                       const Strategy& strategy);

/// Steps of a training: those of the job's tokens, or 100 where it has none (a first try).
[[nodiscard]] std::int64_t training_steps(const Job& job);

/// The framework's file for the strategy: Megatron-LM arguments (a flag a line, with those of the
/// model), DeepSpeed's JSON, TorchTitan's TOML. Throws InputError with what it cannot express.
[[nodiscard]] std::string framework_file(Framework framework, const Job& job,
                                         const Strategy& strategy);

}  // namespace railyard::placement
