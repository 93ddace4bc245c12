#include "apps/replay/replay_jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "apps/output/add_config.hpp"
#include "collectives/formats/traces/comm_groups.hpp"
#include "core/diagnostic.hpp"
#include "placement/cost/operation_price.hpp"

namespace railyard::apps {
namespace {

using collectives::TraceImport;
using collectives::TraceJob;

void add_digests(const std::vector<std::string>& files, Provenance& provenance) {
  // Digests of larger files would take longer than the run.
  constexpr Bytes kMost{std::int64_t{1} << 30};
  for (const std::string& file : files) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error)) continue;
    const auto size = static_cast<std::int64_t>(std::filesystem::file_size(file, error));
    if (!error && Bytes(size) <= kMost) add_config(provenance, file, file, kMost);
  }
}

}  // namespace

collectives::ImportedJobs replayed_workload(const ReplayFlags& flags,
                                            const std::vector<std::string>& files,
                                            const topology::Cluster& cluster,
                                            Provenance& provenance) {
  TraceImport import{.world = {},
                     .groups = {},
                     .keeps_recorded = flags.recorded,
                     .price = placement::operation_price(cluster)};
  if (!flags.comm_groups.empty()) import.groups = collectives::read_comm_groups(flags.comm_groups);
  if (flags.world) import.world = static_cast<std::uint32_t>(*flags.world);
  std::vector<TraceJob> jobs;
  if (!files.empty())
    jobs.push_back({.name = flags.jobs.empty() ? "" : "first", .files = files, .arrival = Time()});
  for (const std::string& text : flags.jobs)
    jobs.push_back(collectives::parse_trace_job(text, "--job"));
  if (jobs.empty())
    throw InputError("", "FILE", "is missing", "give a workload or trace, or --job NAME=FILE");
  std::set<std::string> names;
  for (const TraceJob& job : jobs) {
    if (!names.insert(job.name).second)
      throw InputError("", "--job", fmt::format("two jobs have the name '{}'", job.name));
  }

  collectives::ImportedJobs imported = collectives::import_jobs(jobs, import);
  for (const TraceJob& job : jobs) add_digests(job.files, provenance);
  return imported;
}

}  // namespace railyard::apps
