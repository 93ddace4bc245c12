#pragma once

#include <algorithm>
#include <tuple>

#include "sim/packet/engine/engine.hpp"

namespace railyard::sim::packet::testing {

using namespace railyard::literals;

/// Hosts 0 to 3 below one leaf (device 6), hosts 4 and 5 below another (7), two spines (8, 9).
/// Links: up h: 2h, down h: 2h + 1; leaf l to spine s: 12 + 4l + 2s, back: one more.
class TwoSpines final : Deliveries {
 public:
  explicit TwoSpines(const Parameters& parameters) : engine_(network(), parameters, 1) {}

  struct Ends {
    std::uint32_t from, to, paths = 1;  ///< paths: over spine 0, or both
  };
  [[nodiscard]] std::uint32_t route(std::uint32_t from, std::uint32_t to, std::uint32_t spine) {
    const std::uint32_t a = from < 4 ? 0 : 1, b = to < 4 ? 0 : 1;
    return engine_.add_route(
        {.links = {2 * from, 12 + 4 * a + 2 * spine, 13 + 4 * b + 2 * spine, 2 * to + 1},
         .before = {},
         .behind = {}});
  }
  /// A message at time 0; returns its queue pair.
  std::uint32_t send(const Ends& ends, Bytes bytes) {
    const std::uint32_t first = route(ends.from, ends.to, 0);
    for (std::uint32_t i = 1; i < ends.paths; ++i) std::ignore = route(ends.from, ends.to, i);
    const std::uint32_t pair = engine_.add_pair(first, ends.paths, route(ends.to, ends.from, 0));
    engine_.post(pair, Time(), bytes, 0);
    return pair;
  }
  std::int64_t run() {
    engine_.run(*this);
    return last_;
  }
  Engine& engine() { return engine_; }

 private:
  static NetworkSpec network() {
    NetworkSpec spec;
    spec.devices = 10;
    const auto add = [&](std::uint32_t from, std::uint32_t to) {
      const auto number = static_cast<std::uint32_t>(spec.links.size());
      const auto one = [&](std::uint32_t a, std::uint32_t b, std::uint32_t reverse) {
        spec.links.push_back({.from = a,
                              .to = b,
                              .rate = 400_Gbps,
                              .latency = 1_us,
                              .reverse = reverse,
                              .is_sender = a < 6,
                              .is_last = b < 6});
      };
      one(from, to, number + 1);
      one(to, from, number);
    };
    for (std::uint32_t host = 0; host < 6; ++host) add(host, host < 4 ? 6 : 7);
    for (std::uint32_t leaf = 0; leaf < 2; ++leaf)
      for (std::uint32_t spine = 0; spine < 2; ++spine) add(6 + leaf, 8 + spine);
    return spec;
  }
  void delivered(std::uint32_t, Time at) override { last_ = std::max(last_, at.picoseconds()); }

  Engine engine_;
  std::int64_t last_ = 0;
};

}  // namespace railyard::sim::packet::testing
