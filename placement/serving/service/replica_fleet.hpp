#pragma once

#include <cstddef>
#include <deque>
#include <utility>
#include <vector>

namespace railyard::placement::serving {

/// Replicas that are started and stopped with the load, as by Kubernetes' horizontal pod
/// autoscaler. Every `interval` the wanted number of replicas is
///
///   ceil(requests in the system / target), within [least, all]
///
/// Additional replicas start immediately and serve after `startup`. The number decreases if no
/// decision of the last `hold` seconds wanted more: the replicas with the highest numbers get no
/// new requests, and stop when their requests are done. `interval` and `hold` are the autoscaler's
/// defaults.
struct Autoscale {
  int least = 0;      ///< replicas at the beginning, and minimum; 0: all run all the time
  double target = 1;  ///< requests per replica, waiting or running
  double interval = 15, startup = 60, hold = 300;  ///< seconds
};

/// The replicas of a service, and which of them run.
class ReplicaFleet {
 public:
  /// All of `replicas` run, or the least number of `autoscale`.
  ReplicaFleet(std::size_t replicas, const Autoscale& autoscale);

  /// True if the replica accepts new requests.
  [[nodiscard]] bool serves(std::size_t replica) const {
    return states_[replica] == State::serving;
  }
  /// Decides at `now` for a number of requests in the system. Returns the replicas to start, which
  /// serve from now + startup on (started()).
  [[nodiscard]] std::vector<std::size_t> decide(double now, std::size_t requests);
  /// A replica has finished its start-up. It serves, unless it was stopped in the meantime.
  void started(double now, std::size_t replica);
  /// A replica has no requests left. It stops if a decision requires it.
  void idle(double now, std::size_t replica);
  /// Replica-seconds until `now`, including replicas that start or stop.
  [[nodiscard]] double replica_seconds(double now) const {
    return seconds_ + static_cast<double>(running_) * (now - last_change_);
  }

 private:
  enum class State { off, starting, serving, ending };
  void change(double now, int difference);

  Autoscale autoscale_;
  std::vector<State> states_{};
  std::vector<double> ready_{};                          ///< when a starting replica serves
  std::deque<std::pair<double, std::size_t>> wanted_{};  ///< time and number of recent decisions
  std::size_t running_ = 0;
  double seconds_ = 0, last_change_ = 0;
};

}  // namespace railyard::placement::serving
