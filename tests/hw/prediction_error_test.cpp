#include "hw/prediction_error.hpp"

#include <gtest/gtest.h>

namespace railyard::hw {
namespace {

using namespace literals;

collectives::Measurement row_of(std::int64_t bytes, double measured_us, double predicted_us,
                                std::string protocol = "simple") {
  collectives::Measurement one;
  one.algorithm = "ring";
  one.protocol = std::move(protocol);
  one.bytes = Bytes(bytes);
  one.time = Time::nanoseconds(static_cast<std::int64_t>(measured_us * 1000));
  one.live = collectives::Measurement::Live{};
  one.live->p50 = one.time;
  one.live->predicted = Time::nanoseconds(static_cast<std::int64_t>(predicted_us * 1000));
  one.live->error_pct = (predicted_us / measured_us - 1) * 100;
  return one;
}

TEST(BenchVerdict, ASlowerStartIsLatencyAndASlowerByteIsBandwidth) {
  // Predicted 10 us + 1 us per 1000 bytes. Measured with 30 us of latency: +20 us everywhere.
  std::vector<collectives::Measurement> late{row_of(1000, 31, 11), row_of(10'000, 40, 20),
                                             row_of(1'000'000, 1030, 1010)};
  set_error_terms(late, std::vector<Time>(late.size(), 10_us), 0.1);
  EXPECT_EQ(late[0].live->error_term, "latency");
  EXPECT_EQ(late[1].live->error_term, "latency");
  EXPECT_EQ(late[2].live->error_term, "");  // 2 % off
  // Measured with 2 us per 1000 bytes: the small size fits, the large one does not.
  std::vector<collectives::Measurement> narrow{row_of(100, 10.2, 10.1), row_of(10'000, 30, 20),
                                               row_of(1'000'000, 2010, 1010)};
  set_error_terms(narrow, std::vector<Time>(narrow.size(), 10_us), 0.1);
  EXPECT_EQ(narrow[0].live->error_term, "");
  EXPECT_EQ(narrow[2].live->error_term, "bandwidth");
}

TEST(BenchVerdict, ARowAtTheChangeOfProtocolWhoseOwnFitIsTheSwitch) {
  std::vector<collectives::Measurement> rows{row_of(1000, 11, 11, "ll"), row_of(2000, 12, 12, "ll"),
                                             row_of(4000, 28, 14, "ll"), row_of(8000, 18, 18),
                                             row_of(16'000, 26, 26)};
  set_error_terms(rows, std::vector<Time>(rows.size(), 10_us), 0.1);
  EXPECT_EQ(rows[2].live->error_term, "protocol switch");
  EXPECT_EQ(rows[3].live->error_term, "");
}

TEST(BenchVerdict, OneSizeIsOffByItsLargerTerm) {
  // 10 us of latency: most of 11 us, little of 1010 us.
  std::vector<collectives::Measurement> small{row_of(1000, 30, 11)};
  std::vector<collectives::Measurement> large{row_of(1'000'000, 3000, 1010)};
  set_error_terms(small, std::vector<Time>(small.size(), 10_us), 0.1);
  set_error_terms(large, std::vector<Time>(large.size(), 10_us), 0.1);
  EXPECT_EQ(small[0].live->error_term, "latency");
  EXPECT_EQ(large[0].live->error_term, "bandwidth");
}

TEST(BenchVerdict, TheBestBandwidthMustReachTheFloor) {
  std::vector<collectives::Measurement> rows(2);
  rows[0].busbw_GBps = 1;
  rows[1].busbw_GBps = 8;
  rows[1].bytes = Bytes(1024);
  EXPECT_EQ(below_floor(rows, 64_Gbps), "");  // 8 GB/s
  EXPECT_EQ(below_floor(rows, 10_GBps),
            "the best busbw is 8 GB/s (at 1024 bytes), less than 10 GB/s");
}

}  // namespace
}  // namespace railyard::hw
