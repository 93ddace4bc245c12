#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace railyard::sim {

/// Streams and links of one max-min problem, as plain lists.
struct FillingProblem {
  struct Use {
    std::uint32_t link = 0;
    double weight = 1.0;
  };
  struct Stream {
    std::vector<Use> uses;
    double cap = std::numeric_limits<double>::infinity();
  };
  std::vector<double> capacities;  ///< by link
  std::vector<Stream> streams;
};

/// Max-min fair rates by plain progressive filling (Bertsekas and Gallager, Data Networks, 6.5.2):
/// raise all rates together; when a link is full or a stream at its cap, fix the affected streams.
/// O(rounds × uses). The reference for tests of the fast solvers. A stream without uses and without
/// cap has an infinite rate.
[[nodiscard]] std::vector<double> progressive_filling(const FillingProblem& problem);

}  // namespace railyard::sim
