#include "hw/live_measure.hpp"

#include <gtest/gtest.h>

#include "collectives/algorithms/algorithm.hpp"
#include "hw/local/local_backend.hpp"
#include "tests/hw/schedules.hpp"

namespace railyard::hw {
namespace {

using collectives::Collective;
using collectives::DataType;
using collectives::Kind;

collectives::Schedule ring_of(const topology::Cluster& cluster, const Collective& collective) {
  return collectives::build_schedule("ring",
                                     {.cluster = cluster,
                                      .group = std::make_shared<const collectives::Group>(
                                          collectives::Group::first(cluster, cluster.rank_count())),
                                      .collective = collective,
                                      .options = {}});
}

constexpr Collective kCollective{
    .kind = Kind::all_reduce, .bytes = Bytes(1 << 16), .type = DataType::float16};

TEST(Measure, IsolatedIterationsHaveATimeAndASkewEach) {
  const auto cluster = testing::cluster_of(1, 4);
  const auto schedule = ring_of(cluster, kCollective);
  const auto backend = open_local({.ranks = 4, .threads = 2});
  const Measured measured = measure(*backend, {.collective = kCollective, .schedule = &schedule},
                                    {.warmup = 2, .iterations = 5, .check = true});
  EXPECT_EQ(measured.times.size(), 5u);
  EXPECT_EQ(measured.skews.size(), 5u);
  for (const Time time : measured.times) EXPECT_GT(time, Time());
  EXPECT_EQ(measured.check.wrong, 0);
}

TEST(Measure, BackToBackIterationsHaveOneTimeTogether) {
  const auto cluster = testing::cluster_of(1, 4);
  const auto schedule = ring_of(cluster, kCollective);
  const auto backend = open_local({.ranks = 4, .threads = 1});
  const Measured measured =
      measure(*backend, {.collective = kCollective, .schedule = &schedule},
              {.warmup = 0, .iterations = 6, .check = true, .back_to_back = true});
  EXPECT_EQ(measured.times.size(), 1u);
  EXPECT_EQ(measured.check.wrong, 0);
}

TEST(Measure, OutOfPlaceKeepsWhatRanksBring) {
  // In place a second run would reduce what the first left; out of place it starts from the same.
  const auto cluster = testing::cluster_of(1, 3);
  const auto schedule = ring_of(cluster, kCollective);
  const auto backend = open_local({.ranks = 3, .threads = 1});
  for (const bool in_place : {true, false}) {
    const auto run =
        backend->prepare({.collective = kCollective, .schedule = &schedule, .in_place = in_place});
    run->reset();
    EXPECT_EQ(run->run(2).size(), 1u);
    EXPECT_EQ(run->check().wrong == 0, !in_place);
  }
}

TEST(LocalBackend, HasNoNativeCollective) {
  const auto backend = open_local({.ranks = 2});
  EXPECT_EQ(backend->why_not({.collective = kCollective}),
            "threads of one process have no library collective; the backends mpi and nccl do");
}

}  // namespace
}  // namespace railyard::hw
