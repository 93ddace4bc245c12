#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace railyard::collectives::nccl {

/// A range of sizes of one collective with its algorithm and protocol, as indices of NCCL's tables
/// (nccl_common.h: ncclFunc_t, NCCL_ALGO_*, NCCL_PROTO_*).
struct TunerDecision {
  int function = 0;
  std::uint64_t from = 0, to = 0;  ///< bytes, both included
  int algorithm = 0;
  int protocol = 0;
};

/// The contents of a file of tuner_json(), as the tuner plugin looks them up: indices instead of
/// names, and only the ranges that differ from NCCL's choice.
struct TunerTable {
  std::size_t nodes = 0;
  std::size_t ranks = 0;
  std::vector<TunerDecision> decisions;

  /// The decision for a size; nullptr: NCCL chooses.
  [[nodiscard]] const TunerDecision* decision(int function, std::uint64_t bytes) const;
};

/// Reads a file of tuner_json(). Throws InputError with every problem of the file.
[[nodiscard]] TunerTable read_tuner_table(const std::filesystem::path& path);

}  // namespace railyard::collectives::nccl
