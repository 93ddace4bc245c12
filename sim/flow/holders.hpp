#pragma once

#include <span>
#include <vector>

#include "core/id.hpp"
#include "sim/flow/fluid.hpp"

namespace railyard::sim {

/// Keeps account of which link held a task back, and for how long: at any time the link that holds
/// a slow one of its active streams, or latency while none is active.
class Holders {
 public:
  struct Held {
    LinkId link;  ///< none(): latency, or while it flows its streams' own limits
    bool is_flowing = false;
    double seconds = 0;
  };

  /// Begins the account at a time (seconds); nothing counts before it.
  void begin(double time) { since_ = time; }
  /// Notes who holds the task from fluid.now() on; wanted whenever rates may have changed, or the
  /// watched stream has ended. One stream is watched from when it is found the slowest of (up to 64
  /// of) the active ones until it ends.
  void look(Fluid& fluid, std::span<const StreamId> active);
  /// Whether this stream is watched; then it is not any more.
  [[nodiscard]] bool forget(StreamId stream) {
    if (stream != watched_) return false;
    watched_ = StreamId::none();
    return true;
  }
  /// Closes the account at a time.
  void end(double time) { pass_until(time); }
  /// Who held longest (the first of equals).
  [[nodiscard]] Held longest() const;

 private:
  void pass_until(double time);

  StreamId watched_;
  LinkId holder_;
  bool is_flowing_ = false;
  double since_ = 0;  ///< until when `held_` counts
  std::vector<Held> held_;
};

}  // namespace railyard::sim
