#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collectives/schedule/collective.hpp"

namespace railyard::apps {

/// One measured time of a collective.
struct MeasuredRow {
  collectives::Collective collective{};
  int ranks = 0;  ///< 0: the file does not say
  int nodes = 0;  ///< operating systems; 0: the file does not say
  double time_us = 0;
  // Of railyard's own result files.
  std::string algorithm{}, backend{};  ///< "": the file does not say
  int channels = 0;
  double median_us = 0;  ///< of the iterations
};

/// Rows that were measured on one machine in one way.
struct MeasuredTable {
  std::string name{};
  std::string source{};    ///< as the file states it
  std::string hardware{};  ///< GPU, links inside and between nodes, on one line each
  std::string software{};  ///< versions, flags, environment, on one line each
  std::string cluster{};   ///< of our own result files: what it ran on
  std::vector<std::pair<std::string, std::string>> environment{};  ///< NCCL_ALGO and the like
  std::vector<MeasuredRow> rows{};
  std::string left_out{};  ///< why it has no rows that can be used; empty: it has some
};

/// Reads a file of measurements: a collection of tables ("datasets"), a result file of railyard
/// (bench, sim), nccl-tests' JSON (-J), or what nccl-tests prints. Throws InputError for anything
/// else.
[[nodiscard]] std::vector<MeasuredTable> read_measured(
    const std::string& path, std::optional<collectives::Kind> kind = std::nullopt);

/// The same of text; `name` stands for the file in messages and tables. `kind` is for tables that
/// do not say what they measured (nccl-tests prints it only since 2.17).
[[nodiscard]] std::vector<MeasuredTable> parse_measured(const std::string& name,
                                                        std::string_view text,
                                                        std::optional<collectives::Kind> kind);

/// "alltoall", "all_reduce_perf", "ReduceScatter": the collective that a text means, or nothing.
[[nodiscard]] std::optional<collectives::Kind> collective_named(std::string_view text);

/// "half", "bfloat16", "float": the type that nccl-tests means; float32 where it is none of ours.
[[nodiscard]] collectives::DataType type_named(std::string_view text);

}  // namespace railyard::apps
