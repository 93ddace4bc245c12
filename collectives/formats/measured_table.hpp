#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collectives/formats/nccl_tests_types.hpp"
#include "collectives/schedule/collective.hpp"

namespace railyard::collectives {

/// One measured time of a collective.
struct MeasuredRow {
  Collective collective{};
  int ranks = 0;  ///< 0: not stated
  int nodes = 0;  ///< hosts; 0: not stated
  double time_us = 0;
  double in_place_us = 0;  ///< of the measurement in place; 0: not stated (text of nccl-tests only)
  // In Railyard's own result files only.
  std::string algorithm{}, backend{};  ///< "": not stated
  int channels = 0;
  double median_us = 0;  ///< median over the iterations
};

/// Rows measured on one machine with one set of flags.
struct MeasuredTable {
  std::string name{};
  std::string source{};
  std::string hardware{};  ///< GPU, links inside and between nodes, on one line each
  std::string software{};  ///< versions, flags, environment, on one line each
  std::string cluster{};   ///< the cluster of a Railyard result file
  std::vector<std::pair<std::string, std::string>> environment{};  ///< NCCL_ALGO and the like
  std::vector<MeasuredRow> rows{};
  std::vector<NcclTestsDevice> devices{};  ///< by rank; text of nccl-tests only
  std::string left_out{};                  ///< reason why no row can be used; empty: some can
  bool needs_collective = false;           ///< that reason is that the collective is not stated
  /// Rows that could not be read, each with its place and the reason: "rows/3: '1X' is not a size".
  std::vector<std::string> unread{};
};

/// Notes about the unread rows of a table: the first three, and the number of the others.
[[nodiscard]] std::vector<std::string> unread_notes(const MeasuredTable& table);

/// The collective for a text such as "alltoall", "all_reduce_perf" or "ReduceScatter"; nothing if
/// unknown.
[[nodiscard]] std::optional<Kind> collective_named(std::string_view text);

/// The type for a text of nccl-tests such as "half", "bfloat16" or "float"; float32 for unknown
/// types.
[[nodiscard]] DataType type_named(std::string_view text);

}  // namespace railyard::collectives
