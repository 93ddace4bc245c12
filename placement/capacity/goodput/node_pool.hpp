#pragma once

#include <cstdint>
#include <queue>
#include <utility>
#include <vector>

#include "core/random.hpp"

namespace railyard::placement {

/// The nodes of a job, its spares, and nodes under repair. With a replayed trace nodes have
/// numbers; otherwise they are interchangeable.
class NodePool {
 public:
  /// `numbered`: number of nodes of a trace, from which `nodes` are drawn for the job and `spares`
  /// as spares; 0: nodes are interchangeable.
  NodePool(int nodes, int spares, int numbered, core::RandomStream random);

  /// Whether a failure of this node interrupts the job. -1 is a node of the job.
  [[nodiscard]] bool is_in_job(int node) const {
    return node < 0 || place_[static_cast<std::size_t>(node)] == Place::job;
  }
  /// A node fails at `now`, and returns after `repair` seconds.
  void fail(int node, double now, double repair);
  /// Number of spares that are ready at `now`.
  int ready(double now);
  /// Replaces missing nodes of the job by ready spares. Returns the number of nodes still missing.
  int replace(double now);
  [[nodiscard]] int missing() const { return missing_; }
  /// Time of the next return of a node; infinite if none is under repair.
  [[nodiscard]] double next_return() const;
  /// Node seconds under repair up to `now`.
  [[nodiscard]] double seconds_out(double now) const;

 private:
  enum class Place : std::uint8_t { elsewhere, job, spare, out };
  struct Return {
    double at;
    int node;
    bool operator>(const Return& other) const {
      return at != other.at ? at > other.at : node > other.node;
    }
  };
  void collect(double now);

  int missing_ = 0;
  double out_seconds_ = 0;           ///< of all repairs that have begun, up to their end
  std::vector<int> spares_{};        ///< ready spares; -1 if nodes are interchangeable
  std::vector<Place> place_{};       ///< by number
  std::vector<double> out_until_{};  ///< by number
  std::priority_queue<Return, std::vector<Return>, std::greater<>> returns_{};
};

}  // namespace railyard::placement
