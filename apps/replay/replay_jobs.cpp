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

/// A job of --job.
TraceJob parse_job(const std::string& text) {
  const auto fail = [&](const std::string& what) -> TraceJob {
    throw InputError("", "--job", fmt::format("'{}' {}", text, what),
                     "write NAME=FILE[,FILE...][@TIME], such as other=b.json@2ms");
  };
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) return fail("has no name");
  TraceJob job{.name = text.substr(0, equals), .files = {}, .arrival = Time()};
  std::string files = text.substr(equals + 1);
  if (const std::size_t at = files.rfind('@'); at != std::string::npos) {
    const auto time = core::parse_time(files.substr(at + 1));
    if (!time.value) return fail(fmt::format("has a wrong time: {}", time.error));
    if (*time.value < Time()) return fail("starts before the run begins");
    job.arrival = *time.value;
    files.resize(at);
  }
  for (std::size_t begin = 0; begin <= files.size();) {
    const std::size_t end = std::min(files.find(',', begin), files.size());
    if (end > begin) job.files.push_back(files.substr(begin, end - begin));
    begin = end + 1;
  }
  return job.files.empty() ? fail("does not contain a file") : job;
}

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
  for (const std::string& text : flags.jobs) jobs.push_back(parse_job(text));
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
