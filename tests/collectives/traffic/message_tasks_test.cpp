#include "collectives/traffic/message_tasks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "tests/collectives/test_clusters.hpp"

namespace railyard::collectives {
namespace {

using namespace railyard::literals;
using ::testing::ElementsAre;

TEST(MessageTasks, EachMessageIsATaskOfOneTransfer) {
  const topology::Cluster cluster = testing::make_cluster({.gpus = 8, .nics = 8}, 2);
  const std::vector<std::string> traffic{"incast,bytes=1M,senders=2,to=0,class=3",
                                         "incast,bytes=2M,senders=1,to=4,start=5us,verb=read"};
  MessageTasks made =
      message_tasks(traffic, {.cluster = cluster, .ranks = 16, .seed = 1, .flag = "--traffic"});
  // Tasks point into the schedules, also after a move.
  const MessageTasks messages = std::move(made);
  ASSERT_EQ(messages.tasks.size(), 3U);
  EXPECT_THAT(messages.classes, ElementsAre(3, 3, 0));
  EXPECT_THAT(messages.reads, ElementsAre(false, false, true));
  EXPECT_EQ(messages.bytes, 4_MiB);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(messages.tasks[i].schedule, &messages.schedules[i]);
  EXPECT_EQ(messages.tasks[0].start, Time());
  EXPECT_EQ(messages.tasks[2].start, 5_us);
  EXPECT_EQ(messages.tasks[2].name, "message 2");
  EXPECT_EQ(messages.schedules[2].collective().bytes, 2_MiB);
}

TEST(MessageTasks, EachDescriptionIsDrawnFromTheNextSeed) {
  const topology::Cluster cluster = testing::make_cluster({.gpus = 8, .nics = 8}, 2);
  const std::vector<std::string> twice{"permutation,bytes=1M", "permutation,bytes=1M"};
  const auto second = std::span(twice).first(1);
  const TrafficRequest from_1{.cluster = cluster, .ranks = 16, .seed = 1, .flag = "--traffic"};
  const TrafficRequest from_2{.cluster = cluster, .ranks = 16, .seed = 2, .flag = "--traffic"};
  const MessageTasks both = message_tasks(twice, from_1);
  const MessageTasks alone = message_tasks(second, from_2);
  ASSERT_EQ(both.schedules.size(), 32U);
  bool differ = false;
  for (std::size_t i = 0; i < 16; ++i) {
    EXPECT_EQ(both.schedules[16 + i].group().ranks()[1], alone.schedules[i].group().ranks()[1]);
    differ =
        differ || both.schedules[16 + i].group().ranks()[1] != both.schedules[i].group().ranks()[1];
  }
  EXPECT_TRUE(differ);
}

}  // namespace
}  // namespace railyard::collectives
