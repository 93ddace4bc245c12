#include "apps/nccl/nccl_environment.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "apps/nccl/nccl_variable_table.hpp"
#include "apps/nccl/nccl_variables.hpp"
#include "core/diagnostic.hpp"

namespace railyard::apps {
namespace {

void refuse(const std::string& name, const std::string& pointer, Diagnostics& problems) {
  const auto unmodelled = unmodelled_nccl_variables();
  std::vector<std::string_view> known = modelled_nccl_variables();
  if (std::ranges::find(unmodelled, name) != unmodelled.end()) {
    problems.add(pointer, fmt::format("{} is not modelled", name),
                 fmt::format("with effect: {}", fmt::join(known, ", ")));
    return;
  }
  known.insert(known.end(), unmodelled.begin(), unmodelled.end());
  problems.add(pointer, fmt::format("NCCL has no variable '{}'", name),
               core::did_you_mean(name, known));
}

void read_variable(const std::string& text, NcclEnvironment& environment, Diagnostics& problems) {
  const std::string pointer = "--env " + text;
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
                 Diagnostics& problems) {
  if (low && high && *low > *high) {
    problems.add("--env",
                 fmt::format("NCCL_MIN_{0}={1} exceeds NCCL_MAX_{0}={2}", what, *low, *high));
  }
}

}  // namespace

NcclEnvironment read_nccl_environment(const NcclFlags& flags) {
  NcclEnvironment environment;
  environment.search.version = flags.version == "2.28" ? collectives::nccl::Version::v2_28
                                                       : collectives::nccl::Version::v2_30;
  Diagnostics problems("");
  for (const std::string& text : flags.environment) read_variable(text, environment, problems);
  const auto& search = environment.search;
  check_order("NCHANNELS", search.min_channels, search.max_channels, problems);
  check_order("CTAS", search.min_ctas, search.max_ctas, problems);
  problems.throw_if_any();
  return environment;
}

std::vector<std::string_view> modelled_nccl_variables() {
  std::vector<std::string_view> names;
  for (const NcclVariable& variable : nccl_variable_table()) names.push_back(variable.name);
  return names;
}

std::string why_not(const NcclEnvironment& environment, std::string_view algorithm) {
  if (algorithm != "rail_pxn") return {};
  if (environment.search.pxn_disable) return "NCCL_PXN_DISABLE=1";
  if (environment.p2p.pxn_level == 0) return "NCCL_P2P_PXN_LEVEL=0";
  return {};
}

std::optional<int> clamped_channels(const NcclEnvironment& environment, int own) {
  const auto& search = environment.search;
  int channels = own;
  for (const auto& most : {search.max_channels, search.max_ctas}) {
    if (most) channels = std::min(channels, *most);
  }
  for (const auto& least : {search.min_channels, search.min_ctas}) {
    if (least) channels = std::max(channels, *least);
  }
  return channels == own ? std::nullopt : std::optional(channels);
}

FabricFlags with_environment(FabricFlags flags, const NcclEnvironment& environment) {
  if (!flags.qps) flags.qps = environment.qps;
  return flags;
}

}  // namespace railyard::apps
