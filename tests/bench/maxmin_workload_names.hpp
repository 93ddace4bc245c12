#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/bench/maxmin_workloads.hpp"

namespace railyard::bench {

/// Bytes of the ring AllReduce: 1 GiB.
inline constexpr std::uint64_t kRingBytes = std::uint64_t{1} << 30;

inline constexpr double kMessageBytes = 1e6;

/// "a2a", "a2arand" (random sizes), "permxK" (K permutations at once); messages of 1 MB (1e6 B).
inline std::vector<Message> workload(const std::string& name, std::uint32_t hosts) {
  if (name == "a2a") return all_to_all(hosts, kMessageBytes, false);
  if (name == "a2arand") return all_to_all(hosts, kMessageBytes, true);
  if (name.rfind("permx", 0) == 0)
    return permutations(hosts, std::stoi(name.substr(5)), kMessageBytes);
  throw std::invalid_argument("no workload " + name + "; there are a2a, a2arand, permxK");
}

}  // namespace railyard::bench
