#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "collectives/formats/traces/trace_import.hpp"

namespace railyard::collectives {

/// A job whose files are imported.
struct TraceJob {
  std::string name;  ///< "": the only job
  std::vector<std::string> files;
  Time arrival;
};

/// Jobs as one workload.
struct ImportedJobs {
  Workload workload;
  /// Of each job: its name, and the rank behind its last.
  std::vector<std::pair<std::string, std::uint32_t>> jobs;
  std::optional<Time> recorded;    ///< of a single profile
  std::vector<std::string> notes;  ///< with the name of their job

  [[nodiscard]] const std::string& job_of(std::uint32_t rank) const;
};

/// Imports jobs, at least one, and puts them side by side: the ranks of a job follow those of the
/// job before. Throws InputError.
[[nodiscard]] ImportedJobs import_jobs(std::span<const TraceJob> jobs, const TraceImport& import);

}  // namespace railyard::collectives
