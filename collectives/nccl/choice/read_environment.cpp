#include "collectives/nccl/choice/read_environment.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "collectives/nccl/choice/unmodelled_variables.hpp"
#include "collectives/nccl/choice/variable_table.hpp"
#include "core/diagnostic.hpp"

namespace railyard::collectives::nccl {
namespace {

void refuse(const std::string& name, const std::string& pointer, Diagnostics& problems) {
  const auto unmodelled = unmodelled_nccl_variables();
  std::vector<std::string_view> known = modelled_nccl_variables();
  if (std::ranges::find(unmodelled, name) != unmodelled.end()) {
    problems.add(pointer, fmt::format("{} is not modelled", name),
                 fmt::format("modelled variables: {}", fmt::join(known, ", ")));
    return;
  }
  known.insert(known.end(), unmodelled.begin(), unmodelled.end());
  problems.add(pointer, fmt::format("NCCL does not have a variable '{}'", name),
               core::did_you_mean(name, known));
}

void read_variable(const std::string& text, const std::string& pointer,
                   NcclEnvironment& environment, Diagnostics& problems) {
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  if (equals == std::string::npos) {
    problems.add(pointer, "a variable needs a value", fmt::format("write {}=VALUE", name));
    return;
  }
  const auto table = nccl_variable_table();
  const auto entry = std::ranges::find(table, std::string_view(name), &NcclVariable::name);
  if (entry == table.end()) {
    refuse(name, pointer, problems);
    return;
  }
  entry->read({.text = std::string_view(text).substr(equals + 1),
               .pointer = pointer,
               .environment = environment,
               .problems = problems});
}

void check_order(std::string_view what, std::optional<int> low, std::optional<int> high,
                 std::string_view source, Diagnostics& problems) {
  if (low && high && *low > *high) {
    problems.add(std::string(source),
                 fmt::format("NCCL_MIN_{0}={1} exceeds NCCL_MAX_{0}={2}", what, *low, *high));
  }
}

}  // namespace

NcclEnvironment read_nccl_environment(Version version, std::span<const std::string> variables,
                                      std::string_view source) {
  NcclEnvironment environment;
  environment.search.version = version;
  Diagnostics problems("");
  for (const std::string& text : variables)
    read_variable(text, fmt::format("{} {}", source, text), environment, problems);
  const auto& search = environment.search;
  check_order("NCHANNELS", search.min_channels, search.max_channels, source, problems);
  check_order("CTAS", search.min_ctas, search.max_ctas, source, problems);
  problems.throw_if_any();
  return environment;
}

std::vector<std::string_view> modelled_nccl_variables() {
  std::vector<std::string_view> names;
  for (const NcclVariable& variable : nccl_variable_table()) names.push_back(variable.name);
  return names;
}

}  // namespace railyard::collectives::nccl
