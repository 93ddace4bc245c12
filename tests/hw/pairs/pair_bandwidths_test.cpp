#include "hw/pairs/pair_bandwidths.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "topology/cluster/cluster.hpp"

namespace railyard::hw {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Times from a table instead of a network: a pair of ranks takes bytes / rate, and the source is
/// done a little before the destination.
struct Rates {
  std::uint32_t ranks = 0;
  double GBps = 10;
  std::vector<std::pair<std::pair<std::uint32_t, std::uint32_t>, double>> others{};
  std::size_t at_once = 0;  ///< the most pairs of a run

  [[nodiscard]] double rate(std::uint32_t source, std::uint32_t destination) const {
    for (const auto& [pair, rate] : others)
      if (pair == std::pair(source, destination)) return rate;
    return GBps;
  }
};

class RatedRun final : public LiveRun {
 public:
  RatedRun(Rates& rates, const LiveTask& task) : rates_(rates) {
    const collectives::Step& step = task.schedule->channels()[0].loops[0].steps[0];
    rates.at_once = std::max<std::size_t>(rates.at_once, step.size());
    for (std::uint64_t i = 0; i < step.size(); ++i) {
      const collectives::Transfer transfer = step.at(i, 0);
      const double nanoseconds = static_cast<double>(task.collective.bytes.count()) /
                                 rates_.rate(transfer.source, transfer.destination);
      const Time time = Time::nanoseconds(static_cast<std::int64_t>(nanoseconds));
      spans_.push_back({transfer.source, Time(), time - Time::nanoseconds(1)});
      spans_.push_back({transfer.destination, Time(), time});
    }
  }
  void reset() override {}
  void restore() override {}
  std::vector<Span> run(int) override { return spans_; }
  CheckResult check() override { return {}; }

 private:
  Rates& rates_;
  std::vector<Span> spans_;
};

class RatedBackend final : public LiveBackend {
 public:
  explicit RatedBackend(Rates& rates) : rates_(rates) {}
  [[nodiscard]] std::string_view name() const override { return "rated"; }
  [[nodiscard]] World& world() override { return world_; }
  [[nodiscard]] std::uint32_t ranks() const override { return rates_.ranks; }
  [[nodiscard]] std::uint32_t process_of(std::uint32_t) const override { return 0; }
  [[nodiscard]] std::string why_not(const LiveTask&) const override { return {}; }
  [[nodiscard]] std::unique_ptr<LiveRun> prepare(const LiveTask& task) override {
    return std::make_unique<RatedRun>(rates_, task);
  }
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> facts() const override {
    return {};
  }

 private:
  Rates& rates_;
  SingleProcessWorld world_;
};

LiveHosts two_hosts() {
  return {.names = {"h0", "h1"}, .of_rank = {0, 0, 0, 1, 1, 1}, .ranks = {3, 3}};
}

std::vector<PairRow> rows_of(Rates& rates, const LiveHosts& hosts, bool alone = false) {
  const topology::Cluster cluster = live_cluster(hosts);
  RatedBackend backend(rates);
  return measure_pairs(
      backend, hosts, live_group(cluster, hosts),
      {.bytes = Bytes(1'000'000), .repetition = {.warmup = 0, .iterations = 3}, .alone = alone});
}

TEST(Matrix, HasEveryPairOnceWithItsOwnTime) {
  Rates rates{.ranks = 6, .others = {{{4, 1}, 2.5}}};
  const std::vector<PairRow> rows = rows_of(rates, two_hosts());
  ASSERT_EQ(rows.size(), 30u);
  EXPECT_EQ(rates.at_once, 3u);  // each rank of a host with one of the other
  const auto slow = std::ranges::find_if(
      rows, [](const PairRow& row) { return row.source == 4 && row.destination == 1; });
  // 1 MB at 2.5 GB/s, by the destination's time.
  EXPECT_EQ(slow->time, Time::nanoseconds(400'000));
  EXPECT_DOUBLE_EQ(slow->bandwidth_GBps, 2.5);
  EXPECT_DOUBLE_EQ(slow->relative, 0.25);
  EXPECT_EQ(slow->rail, 1);
  EXPECT_EQ(rows.front().rail, -1);  // 0 to 1, on one host
  EXPECT_TRUE(std::ranges::is_sorted(
      rows, {}, [](const PairRow& row) { return std::pair(row.source, row.destination); }));
  EXPECT_THAT(slow_pairs(rows),
              ElementsAre("rank 4 (h1) to rank 1 (h0): 2.5 GB/s, 0.25 of the median"));
}

TEST(Matrix, AloneMeasuresOnePairAtATime) {
  Rates rates{.ranks = 6};
  EXPECT_EQ(rows_of(rates, two_hosts(), true).size(), 30u);
  EXPECT_EQ(rates.at_once, 1u);
}

TEST(Matrix, PairsOnOneHostAreHeldAgainstTheirOwnKind) {
  Rates rates{.ranks = 6, .GBps = 1};
  for (std::uint32_t source = 0; source < 6; ++source) {
    for (std::uint32_t destination = 0; destination < 6; ++destination) {
      if (source / 3 == destination / 3) rates.others.push_back({{source, destination}, 100});
    }
  }
  EXPECT_THAT(slow_pairs(rows_of(rates, two_hosts())), IsEmpty());
}

TEST(Matrix, ARankWhosePairsAreAllSlowIsNamed) {
  Rates rates{.ranks = 6};
  for (std::uint32_t other = 0; other < 6; ++other) {
    rates.others.push_back({{other, 5}, 4});
    rates.others.push_back({{5, other}, 4});
  }
  const std::vector<std::string> slow = slow_pairs(rows_of(rates, two_hosts()));
  ASSERT_EQ(slow.size(), 11u);
  EXPECT_EQ(slow.back(), "rank 5 (h1): all its 10 pairs");
}

TEST(Matrix, RailsAreSummedUp) {
  Rates rates{.ranks = 6, .others = {{{2, 5}, 5}}};
  const std::vector<RailBandwidth> rails = rail_bandwidths(rows_of(rates, two_hosts()));
  ASSERT_EQ(rails.size(), 3u);
  EXPECT_EQ(rails[2].pairs, 2u);  // there and back
  EXPECT_DOUBLE_EQ(rails[2].least_GBps, 5);
  EXPECT_DOUBLE_EQ(rails[0].least_GBps, 10);
}

}  // namespace
}  // namespace railyard::hw
