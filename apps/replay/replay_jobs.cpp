#include "apps/replay/replay_jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <set>

#include "apps/output/add_config.hpp"
#include "collectives/formats/traces/trace_import.hpp"
#include "collectives/workload/workload.hpp"
#include "core/config/config_node.hpp"
#include "core/diagnostic.hpp"
#include "placement/model/processor.hpp"

namespace railyard::apps {
namespace {

using collectives::ImportedWorkload;
using collectives::TraceImport;

/// A job of --job.
struct JobText {
  std::string name;
  std::vector<std::string> files;
  Time arrival;
};

JobText parse_job(const std::string& text) {
  const auto fail = [&](const std::string& what) -> JobText {
    throw InputError("", "--job", fmt::format("'{}' {}", text, what),
                     "write NAME=FILE[,FILE...][@TIME], such as other=b.json@2ms");
  };
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) return fail("has no name");
  JobText job{.name = text.substr(0, equals), .files = {}, .arrival = Time()};
  std::string files = text.substr(equals + 1);
  if (const std::size_t at = files.rfind('@'); at != std::string::npos) {
    const auto time = core::parse_time(files.substr(at + 1));
    if (!time.value) return fail(fmt::format("has a time that is none: {}", time.error));
    if (*time.value < Time()) return fail("arrives before the run begins");
    job.arrival = *time.value;
    files.resize(at);
  }
  for (std::size_t begin = 0; begin <= files.size();) {
    const std::size_t end = std::min(files.find(',', begin), files.size());
    if (end > begin) job.files.push_back(files.substr(begin, end - begin));
    begin = end + 1;
  }
  return job.files.empty() ? fail("names no file") : job;
}

std::map<std::string, std::vector<std::uint32_t>> read_groups(const std::string& file) {
  std::map<std::string, std::vector<std::uint32_t>> groups;
  if (file.empty()) return groups;
  const core::ConfigNode root = core::ConfigNode::read(file);
  Diagnostics problems(file);
  if (!root.is_object())
    problems.add("", fmt::format("expected an object of lists, found {}", root.kind_name()));
  for (const auto& [name, list] : root.members()) {
    if (!list.is_list()) problems.add(list.pointer(), "expected a list of ranks");
    for (const core::ConfigNode& element : list.elements()) {
      const auto rank = element.integer();
      if (!rank || *rank < 0 || *rank >= collectives::kMostTracedRanks)
        problems.add(element.pointer(), "expected a rank");
      else
        groups[std::string(name)].push_back(static_cast<std::uint32_t>(*rank));
    }
  }
  problems.throw_if_any();
  return groups;
}

/// Computation of `operations` on `bytes` of memory: what takes longer at the rates that kernels of
/// the cluster's GPU reach (docs/models/compute.md).
std::function<Time(double, double)> price_of(const topology::Cluster& cluster) {
  const auto processor = std::make_shared<std::optional<placement::Processor>>();
  return [processor, &cluster](double operations, double bytes) {
    if (!*processor) *processor = placement::find_processor(cluster.spec().node_specs.front().gpu);
    const topology::ComputeSpec& compute = (*processor)->compute();
    const double rate = static_cast<double>(compute.fp16.per_second()) * compute.matrix_efficiency;
    return std::max(Time::from_seconds(operations / rate),
                    bytes > 0 ? placement::stream_time(**processor, bytes) : Time());
  };
}

void add_digests(const std::vector<std::string>& files, Provenance& provenance) {
  // Larger files would take longer to digest than to run.
  constexpr Bytes kMost{std::int64_t{1} << 30};
  for (const std::string& file : files) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error)) continue;
    const auto size = static_cast<std::int64_t>(std::filesystem::file_size(file, error));
    if (!error && Bytes(size) <= kMost) add_config(provenance, file, file, kMost);
  }
}

ImportedWorkload import_job(const std::vector<std::string>& files, const TraceImport& import,
                            Provenance& provenance) {
  ImportedWorkload imported = collectives::import_workload(files, import);
  add_digests(files, provenance);
  return imported;
}

}  // namespace

const std::string& ReplayedWorkload::job_of(std::uint32_t rank) const {
  std::size_t job = 0;
  while (rank >= jobs[job].second) ++job;
  return jobs[job].first;
}

ReplayedWorkload replayed_workload(const ReplayFlags& flags, const std::vector<std::string>& files,
                                   const topology::Cluster& cluster, Provenance& provenance) {
  TraceImport import{.world = {},
                     .groups = read_groups(flags.comm_groups),
                     .keeps_recorded = flags.recorded,
                     .price = price_of(cluster)};
  if (flags.world) import.world = static_cast<std::uint32_t>(*flags.world);
  std::vector<JobText> jobs;
  if (!files.empty())
    jobs.push_back({.name = flags.jobs.empty() ? "" : "first", .files = files, .arrival = Time()});
  for (const std::string& text : flags.jobs) jobs.push_back(parse_job(text));
  if (jobs.empty())
    throw InputError("", "FILE", "is missing", "name a workload or trace, or --job NAME=FILE");
  std::set<std::string> names;
  for (const JobText& job : jobs) {
    if (!names.insert(job.name).second)
      throw InputError("", "--job", fmt::format("the name '{}' is there twice", job.name));
  }

  std::vector<ImportedWorkload> imported;
  for (const JobText& job : jobs) imported.push_back(import_job(job.files, import, provenance));
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
  std::vector<collectives::WorkloadJob> parts;
  for (std::size_t i = 0; i < jobs.size(); ++i)
    parts.push_back(
        {.workload = imported[i].workload, .name = jobs[i].name, .arrival = jobs[i].arrival});
  return {.workload = collectives::side_by_side(parts),
          .jobs = std::move(ends),
          .recorded = {},
          .notes = std::move(notes)};
}

}  // namespace railyard::apps
