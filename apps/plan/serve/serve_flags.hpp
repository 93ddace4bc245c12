#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/cli/flag_groups.hpp"
#include "apps/cli/flags.hpp"

namespace railyard::apps {

/// Flags of `railyard plan serve`, as written.
struct ServeFlags {
  std::string model, rate, ttft, tpot, trace,
      weights = "fp8", kv, engine = "vllm", router = "least_requests", draft_model, emit, requests,
      pool, swap_space, startup, timeline, step_trace, efficiency, calibrate;
  std::vector<std::string> candidates{}, price{};
  std::vector<int> tp{}, ep{};
  std::optional<int> redundant_experts{};
  int input = 0, output = 0, gpus = 0, max_sequences = 256, token_budget = 8192, pp = 1;
  int draft_tokens = 0, autoscale = 0, scale_target = 0;
  double cv = 1, prefix_hits = 0, acceptance = 0;
  std::optional<double> margin{};  ///< per cent
  std::uint64_t seed = 1;
  bool no_graphs = false, disaggregate = false;
  OutputFlags out{};
};

/// Adds the flags of ServeFlags.
void add_serve_flags(FlagSet app, ServeFlags& flags);

}  // namespace railyard::apps
