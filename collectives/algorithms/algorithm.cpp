#include "collectives/algorithms/algorithm.hpp"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "core/diagnostic.hpp"

namespace railyard::collectives {
namespace {

std::string join(const std::vector<std::string_view>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

std::vector<std::string_view> names_for(Kind kind) {
  std::vector<std::string_view> names;
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.supports(kind)) names.push_back(algorithm.name);
  }
  return names;
}

const Algorithm& required(std::string_view name) {
  if (const Algorithm* found = find_algorithm(name)) return *found;
  std::vector<std::string_view> names;
  for (const Algorithm& algorithm : algorithms()) names.push_back(algorithm.name);
  std::string hint = core::did_you_mean(name, names);
  if (hint.empty()) hint = "one of " + join(names);
  throw InputError("", "--algorithm", fmt::format("there is no algorithm '{}'", name),
                   std::move(hint));
}

void check(const Request& request) {
  const Collective& collective = request.collective;
  Diagnostics problems("");
  if (collective.bytes < Bytes(0)) problems.add("--bytes", "a size cannot be negative");
  if (collective.root >= request.group->size()) {
    problems.add("--root", fmt::format("root {} is not one of the group's {} ranks",
                                       collective.root, request.group->size()));
  }
  if (request.options.channels && *request.options.channels < 1) {
    problems.add("--channels",
                 fmt::format("{} channels cannot carry data", *request.options.channels),
                 "at least 1");
  }
  if (request.options.chunk && *request.options.chunk <= Bytes(0)) {
    problems.add("--chunk", "a pipeline chunk needs at least one byte");
  }
  problems.throw_if_any();
}

}  // namespace

std::span<const Algorithm> algorithms() {
  // NCCL's order of choice (docs/models/nccl_tuning.md: Tree, Ring, CollNetDirect, CollNetChain,
  // NVLS, NVLSTree, PAT), then algorithms that NCCL does not have, then all_to_all and send_recv.
  static const std::array kTable{tree_algorithm(),
                                 ring_algorithm(),
                                 collnet_direct_algorithm(),
                                 collnet_chain_algorithm(),
                                 nvls_algorithm(),
                                 nvls_tree_algorithm(),
                                 pat_algorithm(),
                                 halving_doubling_algorithm(),
                                 rail_pxn_algorithm(),
                                 direct_algorithm(),
                                 rail_direct_algorithm(),
                                 hierarchical_algorithm(),
                                 neighbour_algorithm()};
  return kTable;
}

const Algorithm* find_algorithm(std::string_view name) {
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.name == name) return &algorithm;
  }
  return nullptr;
}

Schedule build_schedule(std::string_view name, const Request& request) {
  const Algorithm& algorithm = required(name);
  const Kind kind = request.collective.kind;
  if (!algorithm.supports(kind)) {
    throw InputError("", "--algorithm", fmt::format("{} does not support {}", name, to_text(kind)),
                     fmt::format("{} is supported by {}", to_text(kind), join(names_for(kind))));
  }
  check(request);
  const std::string reason = algorithm.why_not(request);
  if (!reason.empty()) throw InputError("", "--algorithm", fmt::format("{}: {}", name, reason));
  return algorithm.build(request);
}

}  // namespace railyard::collectives
