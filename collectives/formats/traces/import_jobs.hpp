#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "collectives/formats/traces/trace_import.hpp"
#include "collectives/formats/traces/trace_job.hpp"

namespace railyard::collectives {

/// Jobs as one workload.
struct ImportedJobs {
  Workload workload;
  /// By job: its name, and one past its last rank.
  std::vector<std::pair<std::string, std::uint32_t>> jobs;
  std::optional<Time> recorded;    ///< recorded time of a single profile
  std::vector<std::string> notes;  ///< each with the name of its job

  [[nodiscard]] const std::string& job_of(std::uint32_t rank) const;
};

/// Imports one or more jobs into one workload. The ranks of a job follow those of the previous job.
/// Throws InputError.
[[nodiscard]] ImportedJobs import_jobs(std::span<const TraceJob> jobs, const TraceImport& import);

}  // namespace railyard::collectives
