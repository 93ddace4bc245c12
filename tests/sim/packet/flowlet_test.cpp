#include <gtest/gtest.h>

#include "tests/sim/packet/star.hpp"
#include "tests/sim/packet/two_spines.hpp"

namespace railyard::sim::packet {
namespace {

using namespace railyard::literals;
using testing::Star;
using testing::TwoSpines;

Parameters flowlets() {
  auto parameters = Star::store_and_forward();
  parameters.nic.path_choice = PathChoice::flowlet;
  parameters.nic.flowlet_gap = 50_us;
  return parameters;
}

// Links 12 and 14 lead from the leaf of host 0 to the two spines. Messages of one packet leave at
// 0, 10 and 100 us: the third one alone follows a pause of 50 us, and takes the other spine.
TEST(Flowlets, APauseInSendingChangesThePath) {
  TwoSpines spines(flowlets());
  const std::uint32_t pair = spines.send({.from = 0, .to = 4, .paths = 2}, Bytes(Star::kPayload));
  spines.engine().post(pair, 10_us, Bytes(Star::kPayload), 1);
  spines.engine().post(pair, 100_us, Bytes(Star::kPayload), 2);
  EXPECT_EQ(spines.run(), 100'000'000 + 4 * (Star::kTime + Star::kLatency));
  EXPECT_EQ(spines.engine().carried()[12], 2U * Star::kPacket);
  EXPECT_EQ(spines.engine().carried()[14], 1U * Star::kPacket);
}

// Without a pause all packets of a queue pair keep one path and their order.
TEST(Flowlets, AStreamWithoutPausesKeepsItsPath) {
  TwoSpines spines(flowlets());
  std::ignore = spines.send({.from = 0, .to = 4, .paths = 2}, Bytes(100 * Star::kPayload));
  std::ignore = spines.run();
  EXPECT_EQ(spines.engine().carried()[12], 100U * Star::kPacket);
  EXPECT_EQ(spines.engine().carried()[14], 0U);
  EXPECT_EQ(spines.engine().counters().retransmitted, 0U);
}

}  // namespace
}  // namespace railyard::sim::packet
