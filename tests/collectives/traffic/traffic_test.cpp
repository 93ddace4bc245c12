#include "collectives/traffic/traffic.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <set>

#include "collectives/traffic/connection_matrix.hpp"
#include "collectives/traffic/size_distribution.hpp"
#include "collectives/verifier/verify.hpp"
#include "core/diagnostic.hpp"
#include "tests/collectives/test_clusters.hpp"

namespace railyard::collectives {
namespace {

using namespace railyard::literals;
using ::testing::HasSubstr;

std::string error_of(const std::string& matrix) {
  try {
    (void)parse_connection_matrix(matrix, "m.cm", 16);
  } catch (const InputError& error) {
    return core::to_text(error.diagnostics()[0]);
  }
  return "";
}

TEST(ConnectionMatrix, FlowsHaveStartsInPicosecondsAndSizesInBytes) {
  const auto flows = parse_connection_matrix(
      "# two\nNodes 16\nConnections 2\n0->13 id 1 start 0 size 2000000\n"
      "13->0 start 5000000 size 7 prio 3\n",
      "m.cm", 16);
  ASSERT_EQ(flows.size(), 2U);
  EXPECT_EQ(flows[0].destination, 13U);
  EXPECT_EQ(flows[0].bytes, Bytes(2'000'000));
  EXPECT_EQ(flows[1].source, 13U);
  EXPECT_EQ(flows[1].start, 5_us);
  EXPECT_EQ(flows[1].bytes, 7_B);
}

TEST(ConnectionMatrix, AnErrorNamesItsLine) {
  const std::string head = "Nodes 4\nConnections 1\n";
  EXPECT_THAT(error_of(head + "0->9 start 0 size 1"), HasSubstr("m.cm:line 3: node 9 is beyond"));
  EXPECT_THAT(error_of(head + "0->0 start 0 size 1"), HasSubstr("line 3: node 0 sends to itself"));
  EXPECT_THAT(error_of(head + "0->1 start 0"), HasSubstr("line 3: 'size' is missing"));
  EXPECT_THAT(error_of(head + "0->1 size 4"), HasSubstr("line 3: 'start' is missing"));
  EXPECT_THAT(error_of(head + "0->1 start x size 4"), HasSubstr("line 3: 'start' needs"));
  EXPECT_THAT(error_of(head + "0->1 trigger 1 size 4"), HasSubstr("line 3: 'trigger'"));
  EXPECT_THAT(error_of(head + "hello"), HasSubstr("line 3: 'hello'"));
  EXPECT_THAT(error_of("Nodes 32\n0->1 start 0 size 1"), HasSubstr("line 1: 32 nodes"));
  EXPECT_THAT(error_of("Nodes 4\nConnections 2\n0->1 start 0 size 1"), HasSubstr("announces 2"));
  EXPECT_THAT(error_of(""), HasSubstr("no connections"));
}

// Half of the messages between 0 and 10,000 B, half between 10,000 and 1,000,000 B.
TEST(SizeDistribution, QuantilesAndMeanAreLinearBetweenPoints) {
  const auto sizes = SizeDistribution::parse("0 0\n10000 50 # half\n\n1000000 100\n", "s");
  EXPECT_EQ(sizes.quantile(0.25), Bytes(5'000));
  EXPECT_EQ(sizes.quantile(0.5), Bytes(10'000));
  EXPECT_EQ(sizes.quantile(0.75), Bytes(505'000));
  EXPECT_DOUBLE_EQ(sizes.mean(), 0.5 * 5'000 + 0.5 * 505'000);
  EXPECT_THROW((void)SizeDistribution::parse("0 0\n10 60\n5 100\n", "s"), InputError);
  EXPECT_THROW((void)SizeDistribution::parse("0 0\n10 60\n", "s"), InputError);
  EXPECT_THROW((void)SizeDistribution::parse("0 0 0\n", "s"), InputError);
}

class Patterns : public ::testing::Test {
 protected:
  std::vector<Flow> read(const std::string& text, std::uint64_t seed = 1) {
    return read_traffic(text,
                        {.cluster = cluster_, .ranks = 16, .seed = seed, .flag = "--traffic"});
  }
  topology::Cluster cluster_ = testing::make_cluster({.gpus = 2, .nics = 2}, 8);
};

TEST_F(Patterns, APermutationHasEveryRankOnceOnEachSideAndNobodyWithItself) {
  const auto flows = read("permutation,bytes=2M,start=3us");
  std::set<std::uint32_t> sources, destinations;
  for (const Flow& flow : flows) {
    sources.insert(flow.source);
    destinations.insert(flow.destination);
    EXPECT_NE(flow.source, flow.destination);
    EXPECT_EQ(flow.bytes, 2_MiB);
    EXPECT_EQ(flow.start, 3_us);
  }
  EXPECT_EQ(sources.size(), 16U);
  EXPECT_EQ(destinations.size(), 16U);
}

TEST_F(Patterns, AnIncastHasTheRanksAfterItsTarget) {
  const auto flows = read("incast,bytes=1K,senders=3,to=14");
  ASSERT_EQ(flows.size(), 3U);
  EXPECT_EQ(flows[0].source, 15U);
  EXPECT_EQ(flows[1].source, 0U);
  EXPECT_EQ(flows[2].source, 1U);
  EXPECT_EQ(flows[2].destination, 14U);
}

// 16 ranks of 400 Gb/s at load 0.5 and 50 KB: one message a us and rank... in 1 ms 16 * 0.5 * 400e9
// / 8 / 50e3 * 1e-3 = 8,000. The standard deviation is 89; all pairs are on different nodes.
TEST_F(Patterns, PoissonArrivalsHaveTheirLoad) {
  const double rate = 400e9;  // of the port of a node's rank; checked below
  const auto flows = read("poisson,load=0.5,bytes=50000,until=1ms");
  double bits = 0;
  for (const topology::Link& link : cluster_.links())
    if (link.kind == topology::LinkKind::port &&
        !topology::is_fabric_switch(cluster_.device(link.from).kind))
      bits += static_cast<double>(link.bandwidth.bits_per_second());
  const double expected = bits * 0.5 / 8 / 50e3 * 1e-3;
  EXPECT_GT(bits, rate);
  EXPECT_NEAR(static_cast<double>(flows.size()), expected, 5 * std::sqrt(expected));
  for (std::size_t i = 0; i < flows.size(); ++i) {
    EXPECT_LT(flows[i].start, 1_ms);
    EXPECT_GE(flows[i].start, flows[i > 0 ? i - 1 : 0].start);
    EXPECT_NE(flows[i].source / 2, flows[i].destination / 2);
  }
}

TEST_F(Patterns, AClassIsThatOfAllMessages) {
  for (const Flow& flow : read("incast,bytes=1K,senders=3,to=14,class=2"))
    EXPECT_EQ(flow.traffic_class, 2U);
  for (const Flow& flow : read("incast,bytes=1K,senders=3,to=14"))
    EXPECT_EQ(flow.traffic_class, 0U);
}

TEST_F(Patterns, AVerbIsThatOfAllMessages) {
  for (const Flow& flow : read("incast,bytes=1K,senders=3,to=14,verb=read"))
    EXPECT_TRUE(flow.is_read);
  for (const Flow& flow : read("incast,bytes=1K,senders=3,to=14,verb=write"))
    EXPECT_FALSE(flow.is_read);
  for (const Flow& flow : read("permutation,bytes=1K")) EXPECT_FALSE(flow.is_read);
  EXPECT_THROW((void)read("permutation,bytes=1K,verb=send"), InputError);
}

// As the patterns, a file takes a class behind its name.
TEST_F(Patterns, AFileHasAClass) {
  const std::string path = ::testing::TempDir() + "flows.cm";
  std::ofstream(path) << "Nodes 2\nConnections 1\n0->1 start 0 size 7\n";
  const auto flows = read(path + ",class=3");
  ASSERT_EQ(flows.size(), 1U);
  EXPECT_EQ(flows[0].traffic_class, 3U);
  EXPECT_EQ(flows[0].bytes, 7_B);
  EXPECT_TRUE(read(path + ",verb=read,class=1")[0].is_read);
}

TEST_F(Patterns, TheSeedDecides) {
  const auto sources = [](const std::vector<Flow>& flows) {
    std::vector<std::uint32_t> all;
    for (const Flow& flow : flows) all.push_back(flow.destination);
    return all;
  };
  EXPECT_EQ(sources(read("permutation,bytes=1", 5)), sources(read("permutation,bytes=1", 5)));
  EXPECT_NE(sources(read("permutation,bytes=1", 5)), sources(read("permutation,bytes=1", 6)));
}

TEST_F(Patterns, WrongOnesAreRefused) {
  for (const char* text :
       {"permutation", "permutation,bytes=0", "permutation,bytes=1,color=red",
        "incast,bytes=1,to=16", "incast,bytes=1,senders=16", "poisson,load=0,bytes=1,until=1ms",
        "poisson,load=0.5,bytes=1", "poisson,load=0.5,until=1ms", "permutations,bytes=1",
        "no/such/file.cm", "no/such/file.cm,class=1", "permutation,bytes=1,class=8",
        "poisson,load=x,bytes=1,until=1ms", "permutation,bytes=1,start=-1us"})
    EXPECT_THROW((void)read(text), InputError) << text;
}

TEST_F(Patterns, AFlowIsAScheduleThatTheVerifierProves) {
  const Schedule schedule = schedule_of(cluster_, {3, 7, 1000_B, Time()});
  EXPECT_THAT(verify(schedule), ::testing::IsEmpty());
  EXPECT_EQ(schedule.transfer_count(), 1U);
}

}  // namespace
}  // namespace railyard::collectives
