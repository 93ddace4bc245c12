#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/formats/measured_table.hpp"

namespace railyard::collectives {

/// Reads a file of measured collectives: a collection of tables ("datasets"), a result file of
/// railyard (bench, sim), or the output of nccl-tests, as JSON (-J) or text. `kind` is for tables
/// that do not state the collective (nccl-tests prints it only since 2.17). Throws InputError for
/// anything else.
[[nodiscard]] std::vector<MeasuredTable> read_measured(const std::string& path,
                                                       std::optional<Kind> kind = std::nullopt);

/// The tables of all files, in their order.
[[nodiscard]] std::vector<MeasuredTable> read_measured(const std::vector<std::string>& paths,
                                                       std::optional<Kind> kind);

/// The same for a text; `name` is the file name in messages and tables.
[[nodiscard]] std::vector<MeasuredTable> parse_measured(const std::string& name,
                                                        std::string_view text,
                                                        std::optional<Kind> kind);

}  // namespace railyard::collectives
