#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

#include "sim/packet/engine/engine.hpp"
#include "tests/sim/packet/star.hpp"

namespace railyard::sim::packet::testing {

using namespace railyard::literals;

/// Two hosts with two ports each on one switch: the first port of host h has the links 4h (up) and
/// 4h + 1 (down), the second one 4h + 2 and 4h + 3. Host 0 sends packets by the first ports, or
/// host 1 reads them. A port fails; 50 us later the queue pairs use the second port of that host.
class DualPorts final : Deliveries {
 public:
  struct What {
    int packets = 100;
    bool reads = false;
  };
  explicit DualPorts(const Parameters& parameters) : DualPorts(parameters, What{}) {}
  DualPorts(const Parameters& parameters, const What& what) : engine_(network(), parameters, 1) {
    data_ = engine_.add_pair(route(0, 5), 1, route(4, 1));
    if (what.reads) asking_ = engine_.add_reader(data_, route(4, 1), route(0, 5));
    engine_.post(what.reads ? asking_ : data_, Time(), Bytes(what.packets * Star::kPayload), 0);
  }
  void fail(std::uint32_t up, std::int64_t at) {
    engine_.change_link(up, Time::picoseconds(at), Bandwidth());
    engine_.change_link(up + 1, Time::picoseconds(at), Bandwidth());
    const std::uint32_t from = up == 0 ? 2 : 0, to = up == 4 ? 6 : 4;
    const Time moves = Time::picoseconds(at) + 50_us;
    const std::uint32_t there = route(from, to + 1), back = route(to, from + 1);
    engine_.reroute({.pair = data_, .first_route = there, .back = back, .at = moves});
    if (asking_ != kNone)
      engine_.reroute({.pair = asking_, .first_route = back, .back = there, .at = moves});
  }
  std::int64_t run() {
    engine_.run(*this);
    return end_;
  }
  Engine& engine() { return engine_; }

 private:
  static NetworkSpec network() {
    NetworkSpec spec;
    spec.devices = 3;
    for (const std::uint32_t host : {0U, 0U, 1U, 1U}) {
      const auto up = static_cast<std::uint32_t>(spec.links.size());
      LinkSpec link{.from = host,
                    .to = 2,
                    .rate = 400_Gbps,
                    .latency = Time::picoseconds(Star::kLatency),
                    .reverse = up + 1,
                    .is_sender = true};
      spec.links.push_back(link);
      std::swap(link.from, link.to);
      link.reverse = up;
      link.is_sender = false;
      link.is_last = true;
      spec.links.push_back(link);
    }
    return spec;
  }
  [[nodiscard]] std::uint32_t route(std::uint32_t first, std::uint32_t last) {
    return engine_.add_route({.links = {first, last}, .before = {}, .behind = {}});
  }
  void delivered(std::uint32_t, Time at) override {
    end_ = at.picoseconds();
    ++deliveries_;
    EXPECT_EQ(deliveries_, 1);
  }

  Engine engine_;
  std::uint32_t data_ = 0, asking_ = kNone;
  std::int64_t end_ = 0;
  int deliveries_ = 0;
};

}  // namespace railyard::sim::packet::testing
