#include "collectives/formats/traces/trace_job.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/diagnostic.hpp"

namespace railyard::collectives {

TraceJob parse_trace_job(const std::string& text, const std::string& flag) {
  const auto fail = [&](const std::string& what) -> TraceJob {
    throw InputError("", flag, fmt::format("'{}' {}", text, what),
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

}  // namespace railyard::collectives
