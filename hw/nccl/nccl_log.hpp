#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/schedule/collective.hpp"

namespace railyard::hw::nccl {

/// NCCL's choice for a collective, from its log.
struct LoggedChoice {
  std::optional<collectives::Kind> kind;  ///< not in the log of versions before 2.24
  Bytes bytes;                            ///< nccl-tests' size
  std::string algorithm;                  ///< "ring", "nvls_tree": explain's names
  std::string protocol;                   ///< "ll", "ll128", "simple"
  int channels = 0;                       ///< 0: not in the log
};

/// A connection through another rank's NIC (PXN).
struct LoggedRelay {
  std::uint32_t source = 0, destination = 0, relay = 0;
  friend bool operator==(const LoggedRelay&, const LoggedRelay&) = default;
};

/// The contents of NCCL's log (NCCL_DEBUG=INFO; NCCL_DEBUG_SUBSYS with INIT, GRAPH, TUNING, NET).
struct NcclLog {
  std::string version;                ///< "2.28.9+cuda13.0"
  std::vector<LoggedChoice> choices;  ///< in order
  std::optional<bool> ring_uses_pxn;  ///< "Connected all rings, use ring PXN 1"
  std::optional<int> channels, nvls_channels, p2p_channels;
  std::vector<LoggedRelay> relays;  ///< each once
  std::uint64_t network_connections = 0;
};

/// Reads NCCL's log. A choice has one of two forms: "AllReduce: N Bytes -> Algo RING proto LL
/// channel{Lo..Hi}={0..3}" (src/enqueue.cc from 2.24 on) and "N Bytes -> Algo 1 proto 2 time t"
/// (before). Unknown lines are ignored.
[[nodiscard]] NcclLog read_nccl_log(std::string_view text);

/// The last choice for a collective of that size; without a kind, the last choice of that size.
[[nodiscard]] const LoggedChoice* find_choice(const NcclLog& log, collectives::Kind kind,
                                              Bytes bytes);

}  // namespace railyard::hw::nccl
