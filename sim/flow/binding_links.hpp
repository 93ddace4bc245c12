#pragma once

#include <span>
#include <vector>

#include "core/id.hpp"
#include "sim/maxmin/fluid.hpp"

namespace railyard::sim {

/// Which link limited a task, and for how long. At each time this is the link that limits one slow
/// stream of the task, or latency if the task has no active stream.
class BindingLinks {
 public:
  struct LinkTime {
    LinkId link;  ///< none(): latency, or, if streams are active, their own rate limits
    bool is_flowing = false;
    double seconds = 0;
  };

  /// Starts counting at a time (seconds).
  void begin(double time) { since_ = time; }
  /// Finds the link that limits the task from fluid.now() on. Call it when rates may have changed
  /// or the watched stream has ended. The watched stream is the slowest of up to 64 active ones,
  /// and is watched until it ends.
  void observe(Fluid& fluid, std::span<const StreamId> active);
  /// Stops watching a stream; false if it was not the watched one.
  [[nodiscard]] bool stop_watching(StreamId stream) {
    if (stream != watched_) return false;
    watched_ = StreamId::none();
    return true;
  }
  /// Stops counting at a time.
  void end(double time) { pass_until(time); }
  /// The link that limited the task longest (the first of equals).
  [[nodiscard]] LinkTime longest() const;

 private:
  void pass_until(double time);

  StreamId watched_;
  LinkId link_;
  bool is_flowing_ = false;
  double since_ = 0;  ///< end of the time that `times_` counts
  std::vector<LinkTime> times_;
};

}  // namespace railyard::sim
