#include "collectives/nccl/tuning/tuning_names.hpp"

#include <algorithm>
#include <cassert>

namespace railyard::collectives::nccl {
namespace {

constexpr PerAlgorithm<std::string_view> kAlgorithms{
    "Tree", "Ring", "CollNetDirect", "CollNetChain", "NVLS", "NVLSTree", "PAT"};
constexpr PerProtocol<std::string_view> kProtocols{"LL", "LL128", "Simple"};
constexpr PerKind<std::string_view> kKinds{"AllReduce", "AllGather", "ReduceScatter", "Broadcast",
                                           "Reduce"};

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Place of a name in a table, whatever its case (NCCL compares with strcasecmp).
template <class Value, std::size_t N>
std::optional<Value> found(const std::array<std::string_view, N>& names, std::string_view text) {
  const auto same = [&](std::string_view name) {
    return std::ranges::equal(name, text, {}, lower, lower);
  };
  const auto at = std::ranges::find_if(names, same);
  if (at == names.end()) return std::nullopt;
  return static_cast<Value>(at - names.begin());
}

}  // namespace

std::string_view nccl_name(TuningAlgorithm algorithm) { return kAlgorithms[index_of(algorithm)]; }

std::string_view nccl_name(Protocol protocol) { return kProtocols[index_of(protocol)]; }

std::string_view nccl_name(Kind kind) {
  assert(is_tuned(kind));
  return kKinds[index_of(kind)];
}

std::optional<TuningAlgorithm> nccl_algorithm(std::string_view name) {
  return found<TuningAlgorithm>(kAlgorithms, name);
}

std::optional<Protocol> nccl_protocol(std::string_view name) {
  return found<Protocol>(kProtocols, name);
}

std::optional<Kind> nccl_kind(std::string_view name) { return found<Kind>(kKinds, name); }

}  // namespace railyard::collectives::nccl
