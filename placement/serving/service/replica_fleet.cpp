#include "placement/serving/service/replica_fleet.hpp"

#include <algorithm>
#include <cmath>

namespace railyard::placement::serving {

ReplicaFleet::ReplicaFleet(std::size_t replicas, const Autoscale& autoscale)
    : autoscale_(autoscale), states_(replicas, State::off), ready_(replicas, 0.0) {
  running_ = autoscale.least > 0 ? std::min(replicas, static_cast<std::size_t>(autoscale.least))
                                 : replicas;
  std::fill_n(states_.begin(), running_, State::serving);
}

void ReplicaFleet::change(double now, int difference) {
  seconds_ = replica_seconds(now);
  last_change_ = now;
  running_ = static_cast<std::size_t>(static_cast<int>(running_) + difference);
}

std::vector<std::size_t> ReplicaFleet::decide(double now, std::size_t requests) {
  const double needed = std::ceil(static_cast<double>(requests) / autoscale_.target);
  const auto least = static_cast<std::size_t>(autoscale_.least);
  const std::size_t most = states_.size();
  wanted_.emplace_back(now,
                       std::clamp(static_cast<std::size_t>(std::min(needed, 1e9)), least, most));
  while (wanted_.front().first < now - autoscale_.hold) wanted_.pop_front();
  std::size_t count = 0;
  for (const auto& [time, number] : wanted_) count = std::max(count, number);
  // Only the present decision starts replicas. Earlier ones only prevent stops.
  const std::size_t up = wanted_.back().second;
  std::vector<std::size_t> starting;
  for (std::size_t r = 0; r < most; ++r) {
    State& state = states_[r];
    if (r < up && state == State::off) {
      state = State::starting;
      ready_[r] = now + autoscale_.startup;
      starting.push_back(r);
      change(now, 1);
    } else if (r < count && state == State::ending) {
      state = State::serving;
    } else if (r >= count && state == State::serving) {
      state = State::ending;
    } else if (r >= count && state == State::starting) {
      state = State::off;
      change(now, -1);
    }
  }
  return starting;
}

void ReplicaFleet::started(double now, std::size_t replica) {
  if (states_[replica] == State::starting && now >= ready_[replica])
    states_[replica] = State::serving;
}

void ReplicaFleet::idle(double now, std::size_t replica) {
  if (states_[replica] != State::ending) return;
  states_[replica] = State::off;
  change(now, -1);
}

}  // namespace railyard::placement::serving
