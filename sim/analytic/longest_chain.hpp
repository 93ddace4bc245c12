#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "collectives/schedule/transfer.hpp"
#include "core/units.hpp"

namespace railyard::sim {

/// The longest chain of dependent transfers through the steps of a stage: a dry run in which a
/// transfer leaves its source when everything that was sent to the source in earlier steps has
/// arrived.
class LongestChain {
 public:
  struct Chain {
    Time alpha;          ///< sum of the alphas (latencies)
    Time chunks;         ///< sum of the chunk times
    Time slowest_chunk;  ///< the longest chunk time
    [[nodiscard]] Time length() const { return alpha + chunks; }
  };

  /// Adds a transfer of the current step, with its alpha and the time of a chunk on its slowest
  /// link.
  void pass(collectives::Participant source, collectives::Participant destination, Time alpha,
            Time chunk) {
    const auto needed = static_cast<std::size_t>(std::max(source, destination)) + 1;
    if (reached_.size() < needed) reached_.resize(needed);
    const Chain& before = reached_[source];
    arrivals_.push_back(
        {destination,
         {before.alpha + alpha, before.chunks + chunk, std::max(before.slowest_chunk, chunk)}});
  }
  /// Ends the current step: all its transfers have arrived.
  void end_step() {
    for (const auto& [destination, chain] : arrivals_) {
      if (chain.length() > reached_[destination].length()) reached_[destination] = chain;
      if (chain.length() > longest_.length()) longest_ = chain;
    }
    arrivals_.clear();
  }
  [[nodiscard]] const Chain& longest() const { return longest_; }

 private:
  struct Arrival {
    collectives::Participant destination;
    Chain chain;
  };
  std::vector<Chain> reached_;
  std::vector<Arrival> arrivals_;
  Chain longest_;
};

}  // namespace railyard::sim
