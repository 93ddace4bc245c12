#include "collectives/nccl/choice/choice_prediction.hpp"

#include <gtest/gtest.h>

#include "topology/cluster/cluster.hpp"

namespace railyard::collectives::nccl {
namespace {

/// Every schedule takes from 2 to 9 us and has the same limit.
class FixedEngine final : public Executor {
 public:
  [[nodiscard]] std::string_view name() const override { return "analytic"; }
  [[nodiscard]] Run run(std::span<const Task> tasks) override {
    Run run;
    for ([[maybe_unused]] const Task& task : tasks)
      run.tasks.push_back({.start = Time::microseconds(2),
                           .finish = Time::microseconds(9),
                           .bound_by = {.text = limit, .link = LinkId::none()}});
    return run;
  }
  std::string limit = "latency";
};

struct TwoNodes {
  [[nodiscard]] ChoicePrediction prediction(bool has_faults = false) {
    return {.chooser = chooser, .engine = engine, .pace = nullptr, .has_faults = has_faults};
  }
  FixedEngine engine{};
  topology::Cluster cluster = topology::build_cluster(topology::read_cluster("dgx_h100_ndr400", 2));
  Chooser chooser{cluster, engine, {}};
  ChoiceRequest asked{
      .group = std::make_shared<const Group>(Group::first(cluster, cluster.rank_count())),
      .collective = {.kind = Kind::all_reduce, .bytes = Bytes(1 << 20)},
      .protocol = {},
      .channels = {}};
  AlgorithmChoice ring{.algorithm = "ring",
                       .protocol = Protocol::simple,
                       .bytes = {},
                       .bound_by = "nccl's limit",
                       .why_not = {},
                       .no_schedule = {}};
};

TEST(ChoicePrediction, IsTheTimeOfTheSchedule) {
  TwoNodes two;
  EXPECT_EQ(two.prediction().predict(two.asked, two.ring), 7);
}

TEST(ChoicePrediction, NoneForAChoiceThatIsExcludedOrThatNeitherScheduleNorModelCovers) {
  TwoNodes two;
  AlgorithmChoice excluded = two.ring, unscheduled = two.ring;
  excluded.why_not = "NCCL_ALGO excludes it";
  unscheduled.no_schedule = "no schedule";
  EXPECT_FALSE(two.prediction().predict(two.asked, excluded));
  EXPECT_FALSE(two.prediction().predict(two.asked, unscheduled));
}

// NCCL knows latencies, so its own text stays. It knows neither other limits nor faults.
TEST(ChoicePrediction, LimitsThatNcclIgnoresReplaceItsOwn) {
  TwoNodes two;
  (void)two.prediction().predict(two.asked, two.ring);
  EXPECT_EQ(two.ring.bound_by, "nccl's limit");
  (void)two.prediction(true).predict(two.asked, two.ring);
  EXPECT_EQ(two.ring.bound_by, "latency");
  two.engine.limit = "something else";
  (void)two.prediction().predict(two.asked, two.ring);
  EXPECT_EQ(two.ring.bound_by, "something else");
}

}  // namespace
}  // namespace railyard::collectives::nccl
