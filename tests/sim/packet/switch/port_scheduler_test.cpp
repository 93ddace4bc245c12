#include "sim/packet/switch/port_scheduler.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace railyard::sim::packet {
namespace {

SwitchParameters with(std::vector<TrafficClass> classes, ControlQueue control,
                      int control_weight = 2) {
  SwitchParameters parameters;
  parameters.classes = std::move(classes);
  parameters.control = control;
  parameters.control_weight = control_weight;
  return parameters;
}

/// The queues that send the next packets of port 0 while all of `ready` have packets of 1000 bytes,
/// one digit each.
std::string turns(PortScheduler& scheduler, std::uint32_t ready, int packets) {
  std::string text;
  for (int i = 0; i < packets; ++i) {
    const std::uint32_t queue = scheduler.next(0, ready);
    scheduler.started(0, queue, ready, 1000);
    text += std::to_string(queue);
  }
  return text;
}

TEST(PortScheduler, StrictClassesComeInTheirOrder) {
  PortScheduler scheduler(with({{}, {}, {}}, ControlQueue::shared), 1);
  EXPECT_EQ(turns(scheduler, 0b111, 3), "000");
  EXPECT_EQ(turns(scheduler, 0b110, 3), "111");
  EXPECT_EQ(turns(scheduler, 0b100, 3), "222");
}

// The example of the class: S of class 0 is 0, 1/3, 2/3, 1, that of class 1 0, 1, 2. Thirds are
// rounded down, so that class 0 is next at 1.
TEST(PortScheduler, WeightsShareTheBytes) {
  PortScheduler scheduler(
      with({{Scheduling::weighted, 3}, {Scheduling::weighted, 1}}, ControlQueue::shared), 1);
  EXPECT_EQ(turns(scheduler, 0b11, 12), "010001000100");
}

// A class that was idle has no right to what it did not use. Class 1 sends alone at S = 0 to 3, so
// that V = 3 and its F = 4. Class 0 then has S = 3, 4, 5, and class 1 S = 4, 5, 6.
TEST(PortScheduler, AClassThatWasIdleDoesNotCatchUp) {
  PortScheduler scheduler(
      with({{Scheduling::weighted, 1}, {Scheduling::weighted, 1}}, ControlQueue::shared), 1);
  EXPECT_EQ(turns(scheduler, 0b10, 4), "1111");
  EXPECT_EQ(turns(scheduler, 0b11, 6), "001010");
}

TEST(PortScheduler, WeightedClassesShareWhatStrictOnesLeave) {
  PortScheduler scheduler(
      with({{Scheduling::weighted, 1}, {}, {Scheduling::weighted, 1}}, ControlQueue::shared), 1);
  EXPECT_EQ(turns(scheduler, 0b111, 3), "111");
  EXPECT_EQ(turns(scheduler, 0b101, 4), "0202");
}

// Queue 2 is that of control: two of its packets for one of data, in which class 0 is first.
TEST(PortScheduler, ControlComesFirstOrByItsWeight) {
  PortScheduler strict(with({{}, {}}, ControlQueue::strict), 1);
  EXPECT_EQ(turns(strict, 0b111, 3), "222");
  PortScheduler weighted(with({{}, {}}, ControlQueue::weighted), 1);
  EXPECT_EQ(turns(weighted, 0b111, 6), "220220");
  EXPECT_EQ(turns(weighted, 0b110, 3), "221");
}

// Ports do not share turns.
TEST(PortScheduler, EachPortHasItsOwnTurns) {
  PortScheduler scheduler(
      with({{Scheduling::weighted, 1}, {Scheduling::weighted, 1}}, ControlQueue::shared), 2);
  EXPECT_EQ(turns(scheduler, 0b11, 1), "0");
  EXPECT_EQ(scheduler.next(1, 0b11), 0U);
  EXPECT_EQ(scheduler.next(0, 0b11), 1U);
}

}  // namespace
}  // namespace railyard::sim::packet
