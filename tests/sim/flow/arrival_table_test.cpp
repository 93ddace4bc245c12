#include "sim/flow/arrival_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace railyard::sim {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<Gate> gates(const ArrivalTable& table, std::uint64_t first, std::uint64_t end) {
  std::vector<Gate> out;
  table.gates(0, first, end, out);
  return out;
}

TEST(ArrivalTable, ChunksThatNothingArrivedAtHaveNoGate) {
  ArrivalTable table(1);
  EXPECT_THAT(gates(table, 0, 100), IsEmpty());
}

TEST(ArrivalTable, AnArrivalCutsTheRangesThatItOverlaps) {
  ArrivalTable table(2);
  std::vector<Gate> previous;
  Gate next = 10;
  const auto make = [&](Gate before) {
    previous.push_back(before);
    return next++;
  };
  table.arrive(0, 0, 8, make);   // [0,8): 10
  table.arrive(0, 4, 12, make);  // [4,8) follows 10 as 11; [8,12) is new as 12
  EXPECT_THAT(previous, ElementsAre(kNoGate, 10u, kNoGate));
  EXPECT_THAT(gates(table, 0, 4), ElementsAre(10u));
  EXPECT_THAT(gates(table, 3, 5), ElementsAre(10u, 11u));
  EXPECT_THAT(gates(table, 0, 12), ElementsAre(10u, 11u, 12u));
  EXPECT_THAT(gates(table, 12, 20), IsEmpty());
  EXPECT_THAT(gates(table, 8, 9), ElementsAre(12u));
}

TEST(ArrivalTable, GapsShareOneGateAndNeighboursWithTheSameGateJoin) {
  ArrivalTable table(1);
  Gate next = 0;
  int made = 0;
  const auto make = [&](Gate) { return ++made, next++; };
  table.arrive(0, 2, 3, make);  // gate 0
  table.arrive(0, 6, 7, make);  // gate 1
  // [0,8) meets gaps [0,2), [3,6), [7,8) and two gates: three distinct predecessors.
  table.arrive(0, 0, 8, make);
  EXPECT_EQ(made, 5);
  EXPECT_THAT(gates(table, 0, 8).size(), 3u);
  // The gaps' gate is one and the same on both sides of gate 0's successor.
  EXPECT_EQ(gates(table, 0, 1), gates(table, 4, 5));
}

TEST(ArrivalTable, ParticipantsDoNotMix) {
  ArrivalTable table(2);
  table.arrive(1, 0, 4, [](Gate) { return Gate{7}; });
  EXPECT_THAT(gates(table, 0, 4), IsEmpty());
}

}  // namespace
}  // namespace railyard::sim
