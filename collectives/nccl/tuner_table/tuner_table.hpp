#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace railyard::apps::tuner {

/// A range of sizes of one collective, and the way to do it, as indices of NCCL's tables.
struct Decision {
  int function = 0;
  std::uint64_t from = 0, to = 0;  ///< bytes, both included
  int algorithm = 0;
  int protocol = 0;
};

/// What `railyard explain --tuner-json` wrote.
struct Table {
  std::size_t nodes = 0;
  std::size_t ranks = 0;
  std::vector<Decision> decisions;
};

/// Reads it. Throws InputError with everything that is wrong in it.
[[nodiscard]] Table read_table(const std::filesystem::path& path);

/// The decision for a size, or nullptr.
[[nodiscard]] const Decision* find(const Table& table, int function, std::uint64_t bytes);

}  // namespace railyard::apps::tuner
