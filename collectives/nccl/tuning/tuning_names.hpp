#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "collectives/schedule/collective.hpp"
#include "core/config/enum_names.hpp"

/// The dimensions of NCCL's tuning tables.
namespace railyard::collectives::nccl {

/// NCCL's algorithms in its own order, which decides ties (src/include/nccl_tuner.h, NCCL_ALGO_*).
enum class TuningAlgorithm {
  tree,
  ring,
  collnet_direct,
  collnet_chain,
  nvls,
  nvls_tree,
  pat,
};
inline constexpr std::size_t kTuningAlgorithms = 7;

/// LL, LL128, Simple, in NCCL's order; the values of Protocol.
inline constexpr std::size_t kTuningProtocols = 3;

/// The collectives that NCCL tunes: those of Kind before all_to_all.
inline constexpr std::size_t kTuningKinds = 5;

/// A row of a tuning table.
template <class T>
using PerProtocol = std::array<T, kTuningProtocols>;
template <class T>
using PerAlgorithm = std::array<T, kTuningAlgorithms>;
template <class T>
using PerKind = std::array<T, kTuningKinds>;

[[nodiscard]] constexpr std::size_t index_of(TuningAlgorithm algorithm) {
  return static_cast<std::size_t>(algorithm);
}
[[nodiscard]] constexpr std::size_t index_of(Protocol protocol) {
  return static_cast<std::size_t>(protocol);
}
[[nodiscard]] constexpr std::size_t index_of(Kind kind) { return static_cast<std::size_t>(kind); }

/// False for all_to_all and send_recv, which NCCL schedules without a choice of algorithm.
[[nodiscard]] constexpr bool is_tuned(Kind kind) { return index_of(kind) < kTuningKinds; }

/// Every algorithm, in NCCL's order.
inline constexpr std::array<TuningAlgorithm, kTuningAlgorithms> kAllTuningAlgorithms{
    TuningAlgorithm::tree,
    TuningAlgorithm::ring,
    TuningAlgorithm::collnet_direct,
    TuningAlgorithm::collnet_chain,
    TuningAlgorithm::nvls,
    TuningAlgorithm::nvls_tree,
    TuningAlgorithm::pat};
inline constexpr std::array<Protocol, kTuningProtocols> kAllProtocols{Protocol::ll, Protocol::ll128,
                                                                      Protocol::simple};

/// NCCL's spelling. Parsing ignores case: "NVLSTree", "LL128", "AllReduce" (ncclAlgoStr,
/// ncclProtoStr, ncclFuncStr of src/graph/tuning.cc and src/misc).
[[nodiscard]] std::string_view nccl_name(TuningAlgorithm algorithm);
[[nodiscard]] std::string_view nccl_name(Protocol protocol);
/// Requires is_tuned(kind).
[[nodiscard]] std::string_view nccl_name(Kind kind);
[[nodiscard]] std::optional<TuningAlgorithm> nccl_algorithm(std::string_view name);
[[nodiscard]] std::optional<Protocol> nccl_protocol(std::string_view name);
[[nodiscard]] std::optional<Kind> nccl_kind(std::string_view name);

}  // namespace railyard::collectives::nccl

/// The names of the corresponding schedules (collectives/algorithms/algorithm.hpp).
template <>
struct railyard::core::EnumNames<railyard::collectives::nccl::TuningAlgorithm> {
  using enum railyard::collectives::nccl::TuningAlgorithm;
  static constexpr std::array<
      std::pair<railyard::collectives::nccl::TuningAlgorithm, std::string_view>, 7>
      table{{{tree, "tree"},
             {ring, "ring"},
             {collnet_direct, "collnet_direct"},
             {collnet_chain, "collnet_chain"},
             {nvls, "nvls"},
             {nvls_tree, "nvls_tree"},
             {pat, "pat"}}};
};
