#include "hw/world/agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <unistd.h>

#include "core/diagnostic.hpp"

namespace railyard::hw {
namespace {

using Variables = std::vector<std::pair<std::string, std::string>>;

std::string text_of(const InputError& error) {
  std::string text;
  for (const Diagnostic& problem : error.diagnostics()) {
    if (!text.empty()) text += "; ";
    text += core::to_text(problem);
  }
  return text;
}

bool is_recorded(std::string_view name) {
  // Open MPI's launcher passes addresses and identifiers of the job in variables of these names.
  constexpr std::array<std::string_view, 9> kLaunchers{
      "OMPI_MCA_orte",  "OMPI_MCA_ess",  "OMPI_MCA_pmix",         "OMPI_MCA_prte", "OMPI_MCA_plm",
      "OMPI_MCA_shmem", "OMPI_MCA_mpi_", "OMPI_MCA_initial_wdir", "OMPI_MCA_state"};
  if (name == "OMPI_MCA_mpi_yield_when_idle") return true;
  if (std::ranges::any_of(kLaunchers, [&](auto prefix) { return name.starts_with(prefix); }))
    return false;
  return name.starts_with("NCCL_") || name.starts_with("UCX_") || name.starts_with("OMPI_MCA_");
}

std::string packed(const Variables& variables) {
  std::string text;
  for (const auto& [name, value] : variables)
    text.append(name).append(1, '=').append(value).append(1, '\0');
  return text;
}

Variables unpacked(const std::string& text) {
  Variables variables;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\0', at);
    const std::size_t equal = text.find('=', at);
    variables.emplace_back(text.substr(at, equal - at), text.substr(equal + 1, end - equal - 1));
    at = end + 1;
  }
  return variables;
}

std::string value_text(const std::map<std::string, std::string>& of, const std::string& name) {
  const auto found = of.find(name);
  return found == of.end() ? "none" : fmt::format("'{}'", found->second);
}

}  // namespace

void set_up_together(World& world, const std::function<void()>& setup) {
  std::string problem;
  try {
    setup();
  } catch (const InputError& error) {
    if (world.processes() == 1) throw;
    problem = text_of(error);
  }
  const std::vector<std::string> all = world.gather(problem);
  std::string verdict;
  if (world.process() == 0) {
    const bool everywhere =
        std::ranges::all_of(all, [&](const auto& one) { return one == all[0]; });
    const auto first = std::ranges::find_if(all, [](const auto& one) { return !one.empty(); });
    if (first != all.end()) {
      const auto process = static_cast<std::uint32_t>(first - all.begin());
      verdict = everywhere ? *first : place_text(world, process) + ": " + *first;
    }
  }
  verdict = world.broadcast(verdict);
  if (!verdict.empty()) throw InputError("", "", verdict);
}

void require_same_command(World& world, const std::string& command) {
  set_up_together(world, [&] {
    const std::string first = world.broadcast(command);
    if (command == first) return;
    throw InputError("", "",
                     fmt::format("was started with '{}', and rank 0 with '{}'", command, first),
                     "all ranks must run the same command");
  });
}

std::vector<std::pair<std::string, std::string>> live_environment() {
  Variables variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::size_t equal = text.find('=');
    if (equal == std::string_view::npos || !is_recorded(text.substr(0, equal))) continue;
    variables.emplace_back(text.substr(0, equal), text.substr(equal + 1));
  }
  std::ranges::sort(variables);
  return variables;
}

std::vector<std::string> environment_differences(World& world) {
  const std::vector<std::string> all = world.gather(packed(live_environment()));
  std::vector<std::map<std::string, std::string>> by_process;
  std::set<std::string> names;
  for (const std::string& text : all) {
    const Variables variables = unpacked(text);
    by_process.emplace_back(variables.begin(), variables.end());
    for (const auto& [name, value] : variables) names.insert(name);
  }
  std::vector<std::string> differences;
  for (const std::string& name : names) {
    for (std::uint32_t process = 1; process < by_process.size(); ++process) {
      const std::string here = value_text(by_process[process], name);
      const std::string first = value_text(by_process[0], name);
      if (here == first) continue;
      differences.push_back(fmt::format("{}: {} has {}, {} has {}", name,
                                        place_text(world, process), here, place_text(world, 0),
                                        first));
      break;
    }
  }
  return differences;
}

}  // namespace railyard::hw
