#include "collectives/nccl/choice/nccl_choices.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "collectives/nccl/choice/read_environment.hpp"
#include "collectives/nccl/search/search.hpp"
#include "collectives/nccl/tuning/tuning_choice.hpp"
#include "core/config/enum_names.hpp"

namespace railyard::collectives::nccl {
namespace {

/// Two shipped nodes of eight H100 with NCCL's tuning table.
struct TwoNodes {
  explicit TwoNodes(const std::vector<std::string>& variables)
      : environment(read_nccl_environment(Version::v2_30, variables)),
        cluster(topology::build_cluster(topology::read_cluster("dgx_h100_ndr400", 2))),
        group(std::make_shared<const Group>(Group::first(cluster, 16))),
        model(
            make_tuning_model(CommunicatorSearch(cluster, environment.search).communicator(*group),
                              environment.search.version, environment.tuning)) {}

  [[nodiscard]] ChoiceRequest request(std::int64_t bytes) const {
    return {.group = group, .collective = {.bytes = Bytes(bytes)}, .protocol = {}, .channels = {}};
  }
  [[nodiscard]] std::vector<AlgorithmChoice> choices(std::int64_t bytes) const {
    return nccl_choices({cluster, environment}, model, request(bytes));
  }

  NcclEnvironment environment;
  topology::Cluster cluster;
  std::shared_ptr<const Group> group;
  TuningModel model;
};

TEST(NcclChoices, OneIsChosenTheOneOfTheTuningModel) {
  const TwoNodes two({});
  for (const std::int64_t bytes :
       {std::int64_t{1} << 10, std::int64_t{1} << 20, std::int64_t{1} << 30}) {
    const auto choices = two.choices(bytes);
    EXPECT_EQ(choices.size(), 7u * 3u);  // algorithms x protocols
    EXPECT_EQ(std::ranges::count(choices, true, &AlgorithmChoice::chosen), 1);
    const auto chosen = std::ranges::find(choices, true, &AlgorithmChoice::chosen);
    const auto own = choose(two.model, {.kind = Kind::all_reduce, .bytes = bytes});
    ASSERT_TRUE(own);
    EXPECT_EQ(chosen->algorithm, core::enum_name(own->algorithm));
    EXPECT_EQ(chosen->protocol, own->protocol);
    EXPECT_EQ(chosen->channels, own->channels);
  }
}

TEST(NcclChoices, ExcludedAlgorithmsHaveTheReason) {
  const TwoNodes two({"NCCL_ALGO=Ring"});
  for (const AlgorithmChoice& choice : two.choices(1 << 20)) {
    if (choice.algorithm == "tree") {
      EXPECT_EQ(choice.why_not, "NCCL_ALGO=Ring excludes it");
    }
    EXPECT_TRUE(!choice.chosen || choice.algorithm == "ring");
  }
}

TEST(NcclChoices, AScheduleHasTheChannelsThatNcclLaunches) {
  const TwoNodes two({"NCCL_ALGO=Ring"});
  const auto choices = two.choices(1 << 30);
  const auto chosen = std::ranges::find(choices, true, &AlgorithmChoice::chosen);
  ASSERT_NE(chosen, choices.end());
  const Schedule schedule =
      nccl_schedule({two.cluster, two.environment}, two.request(1 << 30), *chosen);
  EXPECT_EQ(schedule.algorithm(), "ring");
  EXPECT_EQ(static_cast<int>(schedule.channels().size()), chosen->channels);
}

}  // namespace
}  // namespace railyard::collectives::nccl
