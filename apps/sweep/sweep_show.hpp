#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "apps/cli/context.hpp"
#include "apps/cli/flag_groups.hpp"

namespace railyard::apps {

/// Flags of `railyard sweep show`.
struct SweepShowFlags {
  std::string database;
  std::vector<std::string> pivot;  ///< row, column, value
  std::vector<std::string> where, columns;
  std::string aggregate = "none";
  bool failed = false;
  OutputFlags output;
};

/// Prints results of a sweep. Returns the exit code: 1 if no row remains.
[[nodiscard]] int show_sweep(const SweepShowFlags& flags, Context& context);

/// All rows of a sweep's database as a result file of the kind "sweep" (docs/result-files.md).
void write_sweep_json(const std::string& database, std::ostream& out);

}  // namespace railyard::apps
