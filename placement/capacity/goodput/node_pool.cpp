#include "placement/capacity/goodput/node_pool.hpp"

#include <algorithm>
#include <limits>

namespace railyard::placement {

NodePool::NodePool(int nodes, int spares, int numbered, core::RandomStream random) {
  if (numbered == 0) {
    spares_.assign(static_cast<std::size_t>(spares), -1);
    return;
  }
  std::vector<int> order(static_cast<std::size_t>(numbered));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  place_.assign(order.size(), Place::elsewhere);
  out_until_.assign(order.size(), 0);
  for (std::size_t i = 0; i < static_cast<std::size_t>(nodes + spares); ++i) {
    const bool is_spare = i >= static_cast<std::size_t>(nodes);
    place_[static_cast<std::size_t>(order[i])] = is_spare ? Place::spare : Place::job;
    if (is_spare) spares_.push_back(order[i]);
  }
}

void NodePool::fail(int node, double now, double repair) {
  if (node < 0) {
    ++missing_;
    out_seconds_ += repair;
    returns_.push({now + repair, -1});
    return;
  }
  const auto at = static_cast<std::size_t>(node);
  if (place_[at] == Place::elsewhere) return;
  if (place_[at] == Place::job) ++missing_;
  if (place_[at] == Place::spare) std::erase(spares_, node);
  const bool is_out = place_[at] == Place::out && out_until_[at] > now;
  const double from = is_out ? out_until_[at] : now;
  out_seconds_ += std::max(0.0, now + repair - from);
  if (!is_out) returns_.push({now + repair, node});
  out_until_[at] = std::max(out_until_[at], now + repair);
  place_[at] = Place::out;
}

void NodePool::collect(double now) {
  while (!returns_.empty() && returns_.top().at <= now) {
    const Return back = returns_.top();
    returns_.pop();
    if (back.node >= 0) {
      const auto at = static_cast<std::size_t>(back.node);
      if (out_until_[at] > back.at) {  // it failed again meanwhile
        returns_.push({out_until_[at], back.node});
        continue;
      }
      place_[at] = Place::spare;
    }
    spares_.push_back(back.node);
  }
}

int NodePool::ready(double now) {
  collect(now);
  return static_cast<int>(spares_.size());
}

int NodePool::replace(double now) {
  collect(now);
  while (missing_ > 0 && !spares_.empty()) {
    const int node = spares_.back();
    spares_.pop_back();
    if (node >= 0) place_[static_cast<std::size_t>(node)] = Place::job;
    --missing_;
  }
  return missing_;
}

double NodePool::next_return() const {
  return returns_.empty() ? std::numeric_limits<double>::infinity() : returns_.top().at;
}

double NodePool::seconds_out(double now) const {
  double seconds = out_seconds_;
  auto left = returns_;
  for (; !left.empty(); left.pop()) {
    const Return& back = left.top();
    const double end = back.node >= 0 ? out_until_[static_cast<std::size_t>(back.node)] : back.at;
    seconds -= std::max(0.0, end - now);
  }
  return seconds;
}

}  // namespace railyard::placement
