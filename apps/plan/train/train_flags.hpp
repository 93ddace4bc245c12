#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/cli/flag_groups.hpp"
#include "apps/cli/flags.hpp"

namespace railyard::apps {

/// Flags of `railyard plan train` as texts; train_request() converts them to values.
struct TrainFlags {
  std::string model, job, tokens;
  std::optional<int> batch, sequence;
  std::vector<std::string> candidates;
  std::string gpus;
  std::string deadline, budget, power_limit;
  std::vector<std::string> price;
  std::string purchase;
  std::string failures = "llama3";
  std::vector<std::string> failure_rate;
  std::optional<int> trace_nodes, spares;
  std::string without_spare = "fastest";
  std::string checkpoint = "asynchronous", interval;
  std::vector<std::string> assume;
  int verify = 5, runs = 100;
  std::uint64_t seed = 1;
  double efficiency = 0.8;
  bool improvements = false, grey_failures = false, wide = false;
  int threads = 0;
  OutputFlags output;
};

/// Adds the flags of TrainFlags.
void add_train_flags(FlagSet app, TrainFlags& flags);

}  // namespace railyard::apps
