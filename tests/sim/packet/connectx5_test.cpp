#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "sim/packet/parameter_fields.hpp"
#include "tests/sim/packet/star.hpp"

namespace railyard::sim::packet {
namespace {

using namespace railyard::literals;
using testing::Star;

/// Measurements of four ConnectX-5 on one switch (../shared/truth/packet/README.md) against the
/// preset, which is set by single figures of them: the latency of 2 bytes, two message rates, the
/// buffer of the switch.
Parameters connectx5() {
  return core::read_config<Parameters>(std::filesystem::path(RAILYARD_SOURCE_DIR) /
                                       "configs/packet/connectx5.json");
}

constexpr Star::Sizes kSizes{.latency = Time::nanoseconds(500)};

std::vector<std::vector<std::string>> table(const char* name) {
  std::vector<std::vector<std::string>> rows;
  std::ifstream file(std::filesystem::path(RAILYARD_SOURCE_DIR) / "../shared/truth/packet" / name);
  for (std::string line; std::getline(file, line);) {
    std::stringstream text(line);
    rows.emplace_back();
    for (std::string cell; std::getline(text, cell, ',');) rows.back().push_back(cell);
  }
  return rows;
}

/// us from the post of a message to its last byte at the receiver.
double one_way(Bytes bytes, const Parameters& parameters = connectx5()) {
  Star star({100_Gbps, 100_Gbps}, parameters, 1, kSizes);
  star.send(star.connect(0, 1), bytes);
  star.run();
  return static_cast<double>(star.done(0)) / 1e6;
}

/// Messages per second of a port with `pairs` queue pairs, each with 200 messages posted.
double message_rate(std::uint32_t pairs, Bytes bytes) {
  Star star({100_Gbps, 100_Gbps}, connectx5(), 1, kSizes);
  std::vector<std::uint32_t> made;
  for (std::uint32_t i = 0; i < pairs; ++i) made.push_back(star.connect(0, 1));
  for (int m = 0; m < 200; ++m)
    for (const std::uint32_t pair : made) star.send(pair, bytes);
  star.run();
  std::int64_t first = star.done(0), last = 0;
  for (std::uint32_t i = 0; i < star.deliveries(); ++i) {
    first = std::min(first, star.done(i));
    last = std::max(last, star.done(i));
  }
  return static_cast<double>(star.deliveries() - 1) / (static_cast<double>(last - first) * 1e-12);
}

TEST(ConnectX5, AWriteOfTwoBytesTakesTwoMicroseconds) { EXPECT_NEAR(one_way(2_B), 2.10, 0.02); }

// The preset's read_latency is what the measured 3.99 us leave beside message_latency and two ways.
TEST(ConnectX5, AReadOfTwoBytesTakesFourMicroseconds) {
  Star star({100_Gbps, 100_Gbps}, connectx5(), 1, kSizes);
  star.send(star.connect_reader(0, 1), 2_B);
  star.run();
  EXPECT_NEAR(static_cast<double>(star.done(0)) / 1e6, 3.99, 0.02);
}

// 1 KiB on one queue pair: 3.87 M/s. 512 B on many: 16.7 M/s, where the wire would carry 21 M/s.
TEST(ConnectX5, MessageRatesOfAQueuePairAndOfAPort) {
  EXPECT_NEAR(message_rate(1, 1_KiB) / 3.87e6, 1, 0.02);
  EXPECT_NEAR(message_rate(64, 512_B) / 16.7e6, 1, 0.02);
}

// Several queue pairs: 97.7 Gb/s of payload. A path MTU of 1,024 loses 5.6 %.
TEST(ConnectX5, PayloadAtTheCeilingOfTheWire) {
  const auto goodput = [](std::int64_t payload) {
    Star star({100_Gbps, 100_Gbps}, connectx5(), 1,
              {.payload = Bytes(payload), .latency = Time::nanoseconds(500)});
    for (int i = 0; i < 4; ++i) star.send(star.connect(0, 1), 16_MiB);
    star.run();
    std::int64_t last = 0;
    for (std::uint32_t i = 0; i < 4; ++i) last = std::max(last, star.done(i));
    return 4 * 16 * 1048576 * 8 / (static_cast<double>(last) * 1e-12) / 1e9;
  };
  EXPECT_NEAR(goodput(4096) / 97.7, 1, 0.01);
  EXPECT_NEAR(100 * (1 - goodput(1024) / goodput(4096)), 5.6, 0.3);
}

/// us from the last byte of a message to its acknowledgement.
constexpr double kBack = 1.01;

/// Compares one message at a time, where the program posts the next one `poster` us after the
/// acknowledgement, with the measured rows of an arm up to a size. Returns the rows.
std::size_t compare_depth_one(const char* arm, double poster, double most_bytes) {
  std::size_t compared = 0;
  for (const auto& row : table("cx5_msgsize.csv")) {
    if (row[0] != arm || row[1] != "1") continue;
    const double bytes = std::atof(row[2].c_str()), measured = std::atof(row[3].c_str());
    if (bytes > most_bytes) continue;
    const double cycle = one_way(Bytes(std::llround(bytes))) + kBack + poster;
    const double goodput = bytes * 8 / cycle / 1e3;
    std::printf("%s, %8.0f B: %8.4f Gb/s, measured %8.4f, %+5.1f %%\n", arm, bytes, goodput,
                measured, 100 * (goodput / measured - 1));
    EXPECT_NEAR(goodput / measured, 1, 0.1) << bytes;
    ++compared;
  }
  return compared;
}

// Senders at line rate into one port that drops at the tail, without marks: with two of them about
// half of the packets is lost, with three about two thirds, and the device keeps going on go-back-N
// (../shared/facts/PACKET.md). With equal clocks, one NACK per gap and a time-out of 67 ms, one
// sender would take the port and the others would wait for time-outs (15 Gb/s of two senders).
TEST(ConnectX5, AnIncastKeepsGoingAndIsShared) {
  for (const std::uint32_t senders : {2U, 3U}) {
    constexpr std::uint32_t kMessages = 256;
    Star star(std::vector<Bandwidth>(senders + 1, 100_Gbps), connectx5(), 1, kSizes);
    for (std::uint32_t i = 0; i < senders; ++i) {
      const std::uint32_t pair = star.connect(i, senders);
      for (std::uint32_t m = 0; m < kMessages; ++m) star.send(pair, 1_MiB);
    }
    star.run();
    double first = 1e18, last = 0;  // ps at which a sender is done
    for (std::uint32_t i = 0; i < senders; ++i) {
      const auto end = static_cast<double>(star.done((i + 1) * kMessages - 1));
      first = std::min(first, end);
      last = std::max(last, end);
    }
    const Counters& counted = star.engine().counters();
    const double goodput = senders * kMessages * 8.0 * 1048576 / last * 1e3;
    const double lost = static_cast<double>(counted.lost) / static_cast<double>(counted.data_sent);
    const double amplification =
        static_cast<double>(counted.data_sent) / (senders * kMessages * 256.0);
    std::printf(
        "%u senders: %.1f Gb/s, first done after %.2f of the time, %.3f lost, %.2f sent "
        "per packet, %llu time-outs\n",
        senders, goodput, first / last, lost, amplification,
        static_cast<unsigned long long>(counted.timeouts));
    EXPECT_GT(goodput, 50);
    EXPECT_GT(first / last, 0.6);
    EXPECT_NEAR(lost, 1 - 1.0 / senders, 0.08);
    EXPECT_GT(amplification, 0.8 * senders);
    EXPECT_LT(amplification, 1.6 * senders);
  }
}

/// us that the switch holds a packet of 4,096 bytes back until its end has arrived.
constexpr double kStore = 4178 * 8e-5;

// One message at a time: the next one is posted when the acknowledgement is there. The measured law
// is 4.48 us + bytes / 97.1 Gb/s: 2.1 there, one packet in the switch, 1.01 back, the rest is the
// poster's.
TEST(ConnectX5, GoodputAtQueueDepthOneIsWithinTenPercent) {
  const std::size_t compared = compare_depth_one("engine", 4.48 - 2.10 - kStore - kBack, 1e9);
  if (compared == 0) GTEST_SKIP() << "no measurements in ../shared/truth/packet";
  EXPECT_EQ(compared, 4U);
}

// perftest posts sooner: 2 B at 0.0041 Gb/s are 3.9 us a message. From 32 KiB on the device is up
// to 14 % slower than the wire and the switch explain.
TEST(ConnectX5, MessageRateOverSizeIsWithinTenPercent) {
  const std::size_t compared = compare_depth_one("perftest", 3.90 - 2.10 - kBack, 16'384);
  if (compared == 0) GTEST_SKIP() << "no measurements in ../shared/truth/packet";
  EXPECT_EQ(compared, 14U);
}

// Two paced senders overfill a port: its queue reaches the end of the buffer after the measured
// time (median of the repeats).
TEST(ConnectX5, ThePortsBufferFillsInTheMeasuredTime) {
  std::map<double, std::pair<double, std::vector<double>>> cases;
  for (const auto& row : table("cx5_buffer.csv")) {
    const double offered = std::atof(row[1].c_str());
    if (offered == 0 || offered > 55) continue;  // at 60 Gb/s the repeats differ by 2
    cases[offered].first = std::atof(row[2].c_str());
    cases[offered].second.push_back(std::atof(row[3].c_str()));
  }
  if (cases.empty()) GTEST_SKIP() << "no measurements in ../shared/truth/packet";
  for (auto& [offered, values] : cases) {
    auto& [excess, times] = values;
    std::sort(times.begin(), times.end());
    const double median = (times[(times.size() - 1) / 2] + times[times.size() / 2]) / 2;
    const auto rate = Bandwidth::bits_per_second(std::llround((100 + excess) / 2 * 1e9));
    auto parameters = connectx5();
    parameters.nic.retransmit_timeout = 500_us;
    Star star({rate, rate, 100_Gbps}, parameters, 1, kSizes);
    star.engine().sample_queues(10_us);
    for (std::uint32_t i = 0; i < 2; ++i)
      star.send(star.connect(i, 2), Bytes(std::llround(60e6 * 4.757 / excess)));
    star.run();
    double full = 0;
    for (const QueueSample& sample : star.engine().queue_samples())
      if (full == 0 && sample.bytes > 5'200'000 - 2 * Star::kPacket)
        full = static_cast<double>(sample.time) / 1e9;
    std::printf("%.1f Gb/s each: full after %.2f ms, measured %.2f\n", offered, full, median);
    EXPECT_NEAR(full / median, 1, 0.1);
  }
}

}  // namespace
}  // namespace railyard::sim::packet
