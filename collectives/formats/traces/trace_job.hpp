#pragma once

#include <string>
#include <vector>

#include "core/units.hpp"

namespace railyard::collectives {

/// A job to import.
struct TraceJob {
  std::string name;  ///< "": the only job
  std::vector<std::string> files;
  Time arrival;
};

/// Reads "NAME=FILE[,FILE...][@TIME]": "other=b.json@2ms". Throws InputError at `flag`.
[[nodiscard]] TraceJob parse_trace_job(const std::string& text, const std::string& flag);

}  // namespace railyard::collectives
