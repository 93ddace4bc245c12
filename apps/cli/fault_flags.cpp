#include "apps/cli/fault_flags.hpp"

#include <string_view>

#include "core/diagnostic.hpp"

namespace railyard::apps {
namespace {

using Parse = topology::TimedFault (*)(const topology::Cluster&, std::string_view);

topology::TimedFault of_flag(const char* flag, Parse parse, const topology::Cluster& cluster,
                             const std::string& text) {
  try {
    return parse(cluster, text);
  } catch (const InputError& error) {
    const Diagnostic& found = error.diagnostics().front();
    throw InputError("", flag, found.message, found.hint);
  }
}

}  // namespace

topology::TimedFault failure_of(const topology::Cluster& cluster, const std::string& text) {
  return of_flag("--fail", topology::parse_failure, cluster, text);
}

topology::TimedFault degradation_of(const topology::Cluster& cluster, const std::string& text) {
  return of_flag("--degrade", topology::parse_degradation, cluster, text);
}

topology::TimedFault storm_of(const topology::Cluster& cluster, const std::string& text) {
  return of_flag("--storm", topology::parse_failure, cluster, text);
}

}  // namespace railyard::apps
