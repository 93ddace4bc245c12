#pragma once

#include <cstddef>
#include <deque>
#include <utility>
#include <vector>

namespace railyard::placement::serving {

/// Replicas that are started and stopped with the load, as Kubernetes' horizontal pod autoscaler
/// does: every `interval` the wanted number is
///
///   ceil(requests in the system / target), within [least, all]
///
/// More are started at once and serve after `startup`. There are fewer when no decision of the last
/// `hold` seconds wanted more: those with the highest numbers get no new requests, and end when
/// they have served theirs. `interval` and `hold` are the autoscaler's defaults.
struct Autoscale {
  int least = 0;      ///< replicas from the beginning on; 0: all run all the time
  double target = 1;  ///< requests per replica, waiting or running
  double interval = 15, startup = 60, hold = 300;  ///< seconds
};

/// The replicas of a service, and which of them run.
class ReplicaFleet {
 public:
  /// All of `replicas` run, or the least number of `autoscale`.
  ReplicaFleet(std::size_t replicas, const Autoscale& autoscale);

  /// The replica gets new requests.
  [[nodiscard]] bool serves(std::size_t replica) const {
    return states_[replica] == State::serving;
  }
  /// A decision at `now` with so many requests in the system; returns the replicas to be started,
  /// which serve from now + startup on (started()).
  [[nodiscard]] std::vector<std::size_t> decide(double now, std::size_t requests);
  /// A replica's start-up is over; it serves, unless a decision stopped it meanwhile.
  void started(double now, std::size_t replica);
  /// A replica has nothing left to do: it ends if it is to.
  void idle(double now, std::size_t replica);
  /// Replica-seconds up to `now`: serving, starting or ending.
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
