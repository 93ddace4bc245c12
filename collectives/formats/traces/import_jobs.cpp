#include "collectives/formats/traces/import_jobs.hpp"

#include <fmt/format.h>

#include "collectives/formats/traces/import_workload.hpp"
#include "collectives/workload/workload.hpp"

namespace railyard::collectives {

const std::string& ImportedJobs::job_of(std::uint32_t rank) const {
  std::size_t job = 0;
  while (rank >= jobs[job].second) ++job;
  return jobs[job].first;
}

ImportedJobs import_jobs(std::span<const TraceJob> jobs, const TraceImport& import) {
  std::vector<ImportedWorkload> imported;
  imported.reserve(jobs.size());
  for (const TraceJob& job : jobs) imported.push_back(import_workload(job.files, import));
  std::vector<std::string> notes;
  std::vector<std::pair<std::string, std::uint32_t>> ends;
  std::uint32_t ranks = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    ranks += imported[i].workload.ranks();
    ends.emplace_back(jobs[i].name, ranks);
    for (const std::string& note : imported[i].notes)
      notes.push_back(jobs[i].name.empty() ? note : fmt::format("{}: {}", jobs[i].name, note));
  }
  if (jobs.size() == 1 && jobs[0].arrival == Time())
    return {.workload = std::move(imported[0].workload),
            .jobs = std::move(ends),
            .recorded = imported[0].recorded,
            .notes = std::move(notes)};
  std::vector<WorkloadJob> parts;
  parts.reserve(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i)
    parts.push_back(
        {.workload = imported[i].workload, .name = jobs[i].name, .arrival = jobs[i].arrival});
  return {.workload = side_by_side(parts),
          .jobs = std::move(ends),
          .recorded = {},
          .notes = std::move(notes)};
}

}  // namespace railyard::collectives
