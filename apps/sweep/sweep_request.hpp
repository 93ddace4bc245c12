#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/sweep/changed_config.hpp"
#include "core/sweep/point_order.hpp"
#include "core/sweep/space.hpp"
#include "core/sweep/store.hpp"

namespace railyard::apps {

/// Flags of `railyard sweep`.
struct SweepFlags {
  std::vector<std::string> command;  ///< words after "--"
  std::vector<std::string> set, grid, list;
  std::string file, database, shard, emit;
  std::optional<int> samples;
  std::optional<int> seed, shards;
  int threads = 0;
  bool retries = false, lists = false;
};

/// The command and the points of a sweep.
struct SweepRequest {
  std::vector<std::string> command;  ///< words that all points share: "sim", "--bytes", "1G"
  core::sweep::Space space;
  std::vector<std::string> fields;
  core::sweep::Shard shard;

  [[nodiscard]] core::sweep::Definition definition() const { return {command, fields}; }
};

/// Reads flags and sweep file. Throws InputError.
[[nodiscard]] SweepRequest sweep_request(const SweepFlags& flags);

/// The command line of a point: the words of the command, then a flag per value. Values of fields
/// in config files are not included.
[[nodiscard]] std::vector<std::string> words_of_point(const SweepRequest& request,
                                                      const std::vector<std::string>& values);

/// The same with copies of the config files that contain the point's values.
[[nodiscard]] std::vector<std::string> runnable_words(const SweepRequest& request,
                                                      const std::vector<std::string>& values,
                                                      core::sweep::ChangedConfigs& configs);

/// Relative cost of a point, to start long ones first: proportional to the GPUs, the number of runs
/// and the fidelity; for packets also to the size.
[[nodiscard]] double estimated_cost(const std::vector<std::string>& words);

}  // namespace railyard::apps
