#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostic.hpp"
#include "tests/sim/packet/star.hpp"

namespace railyard::sim::packet {
namespace {

using namespace railyard::literals;
using ::testing::HasSubstr;

constexpr std::uint32_t kSwitches = 5;

/// A ring of switches with a host each: host i is device i, its switch device 5 + i. Links: up i,
/// down i, ring i (from switch i to the next one), and back.
class RingOfSwitches final : Deliveries {
 public:
  explicit RingOfSwitches(const Parameters& parameters) : engine_(network(), parameters, 1) {
    engine_.name_links([](std::uint32_t link) { return "link " + std::to_string(link); });
    // Each host sends to the next but one, always in the same direction: over two links of the
    // ring.
    for (std::uint32_t i = 0; i < kSwitches; ++i) {
      const std::uint32_t to = (i + 2) % kSwitches;
      const auto there = engine_.add_route(
          {.links = {up(i), ring(i), ring(i + 1), down(to)}, .before = {}, .behind = {}});
      const auto back = engine_.add_route(
          {.links = {up(to), back_of_ring(to + kSwitches - 1), back_of_ring(i), down(i)},
           .before = {},
           .behind = {}});
      engine_.post(engine_.add_pair(there, 1, back), Time(), 8_MiB, i);
    }
  }
  void run() { engine_.run(*this); }
  [[nodiscard]] std::uint32_t deliveries() const { return deliveries_; }
  Engine& engine() { return engine_; }
  [[nodiscard]] static std::uint32_t ring(std::uint32_t i) { return 10 + 2 * (i % kSwitches); }

 private:
  [[nodiscard]] static std::uint32_t up(std::uint32_t i) { return 2 * i; }
  [[nodiscard]] static std::uint32_t down(std::uint32_t i) { return 2 * i + 1; }
  [[nodiscard]] static std::uint32_t back_of_ring(std::uint32_t i) { return ring(i) + 1; }

  static NetworkSpec network() {
    NetworkSpec spec;
    spec.devices = 2 * kSwitches;
    const auto add = [&](std::uint32_t from, std::uint32_t to, std::uint32_t reverse) {
      spec.links.push_back({.from = from,
                            .to = to,
                            .rate = 100_Gbps,
                            .latency = 1_us,
                            .reverse = reverse,
                            .is_sender = from < kSwitches,
                            .is_last = to < kSwitches});
    };
    for (std::uint32_t i = 0; i < kSwitches; ++i) {
      add(i, kSwitches + i, down(i));
      add(kSwitches + i, i, up(i));
    }
    for (std::uint32_t i = 0; i < kSwitches; ++i) {
      const std::uint32_t next = kSwitches + (i + 1) % kSwitches;
      add(kSwitches + i, next, back_of_ring(i));
      add(next, kSwitches + i, ring(i));
    }
    return spec;
  }
  void delivered(std::uint32_t, Time) override { ++deliveries_; }

  Engine engine_;
  std::uint32_t deliveries_ = 0;
};

Parameters lossless() {
  auto parameters = testing::Star::store_and_forward();
  parameters.switches.buffer = 2_MB;
  return parameters;
}

// Every link of the ring is asked for twice what it carries: the one from its host and the one from
// the ring before it. All of them fill at the same time, all pause, and none can drain.
TEST(Deadlock, PausesInACycleAreNamed) {
  RingOfSwitches ring(lossless());
  try {
    ring.run();
    FAIL() << "the ring must not come to an end";
  } catch (const InputError& error) {
    const std::string text = core::to_text(error.diagnostics()[0]);
    EXPECT_THAT(text, HasSubstr("deadlock of pauses"));
    EXPECT_THAT(text, HasSubstr("5 links wait for each other"));
    for (std::uint32_t i = 0; i < kSwitches; ++i)
      EXPECT_THAT(text, HasSubstr("link " + std::to_string(RingOfSwitches::ring(i))));
  }
}

// The same circle with credits: each buffer of the ring is full of packets for the next one.
TEST(Deadlock, CreditsInACycleAreNamed) {
  auto parameters = testing::Star::store_and_forward();
  parameters.transport = Transport::ib;
  parameters.switches.credits = 64_KiB;
  RingOfSwitches ring(parameters);
  try {
    ring.run();
    FAIL() << "the ring must not come to an end";
  } catch (const InputError& error) {
    const std::string text = core::to_text(error.diagnostics()[0]);
    EXPECT_THAT(text, HasSubstr("deadlock of credits"));
    EXPECT_THAT(text, HasSubstr("5 links wait for each other"));
    for (std::uint32_t i = 0; i < kSwitches; ++i)
      EXPECT_THAT(text, HasSubstr("link " + std::to_string(RingOfSwitches::ring(i))));
  }
}

// The watchdog breaks the circle: a queue that was paused for 1 ms loses its packets, and the
// others go on.
TEST(Deadlock, TheWatchdogEndsIt) {
  auto parameters = lossless();
  parameters.switches.watchdog = WatchdogParameters{.detection = 1_ms};
  RingOfSwitches ring(parameters);
  ring.run();
  EXPECT_EQ(ring.deliveries(), kSwitches);
  EXPECT_GT(ring.engine().counters().storms, 0U);
}

// Buffers that never pause anybody: half of what a ring link is asked for waits, and all arrives.
TEST(Deadlock, TheSameRingWithBuffersForEverythingComesToAnEnd) {
  auto parameters = lossless();
  parameters.switches.buffer = Bytes(512 << 20);
  RingOfSwitches ring(parameters);
  ring.run();
  EXPECT_EQ(ring.deliveries(), kSwitches);
  EXPECT_EQ(ring.engine().counters().pauses, 0U);
}

}  // namespace
}  // namespace railyard::sim::packet
