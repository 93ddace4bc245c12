#pragma once

#include <span>
#include <vector>

#include "core/id.hpp"
#include "sim/fluid.hpp"

namespace railyard::sim {

/// Keeps account of which link held a task back, and for how long: at any time the link that holds
/// a slow one of its active streams, or latency while none is active.
class Holders {
 public:
  struct Held {
    LinkId link;  ///< none(): latency
    double seconds = 0;
  };

  /// Before time moves on: who holds the task now. One stream is watched from when it is found the
  /// slowest of (up to 64 of) the active ones until it ends.
  void look(Fluid& fluid, std::span<const StreamId> active);
  /// The watched stream ended.
  void forget(StreamId stream) {
    if (stream == watched_) watched_ = StreamId::none();
  }
  /// Time moved on.
  void pass(double seconds);
  /// Who held longest (the first of equals).
  [[nodiscard]] Held longest() const;

 private:
  StreamId watched_;
  LinkId holder_;
  std::vector<Held> held_;
};

}  // namespace railyard::sim
