#pragma once

#include <optional>
#include <string>

#include "apps/context.hpp"
#include "apps/flag_groups.hpp"
#include "hw/local_executor.hpp"

namespace railyard::apps {

/// Flags of `railyard bench`.
struct BenchFlags {
  CollectiveFlags collective;
  OutputFlags output;
  hw::Repetition repetition;
  std::string backend = "local";
  std::string predict;
  std::optional<int> nodes;  ///< of the cluster of predict
  int gpus = 8;
  int threads = 0;
  int check = 1;
};

/// Runs the benchmark and writes its rows. Returns the exit code: 1 where a result was wrong.
/// Throws BackendError for a backend that is not built.
int run_bench(const BenchFlags& flags, Context& context);

}  // namespace railyard::apps
