#include "apps/sim/timing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "apps/cli/setting.hpp"
#include "collectives/nccl/choice/chooser.hpp"
#include "collectives/nccl/timing/fit/machines.hpp"
#include "core/diagnostic.hpp"
#include "sim/engine.hpp"

namespace railyard::apps {
namespace {

using collectives::Kind;
using collectives::Run;
using collectives::Schedule;
using topology::LinkKind;

constexpr std::array kKinds{Kind::all_reduce, Kind::all_gather, Kind::reduce_scatter,
                            Kind::all_to_all, Kind::broadcast,  Kind::reduce,
                            Kind::send_recv};
constexpr std::array<std::int64_t, 4> kSizes{1 << 20, 1 << 24, 1 << 27, 1 << 30};

std::vector<std::string> shipped_clusters() {
  std::vector<std::string> names;
  const auto folder = std::filesystem::path(RAILYARD_SOURCE_DIR) / "configs/clusters";
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    names.push_back(entry.path().string());
  std::ranges::sort(names);
  return names;
}

/// A shipped cluster with its engines.
struct Ground {
  Ground(const std::string& file, int nodes)
      : flags{.cluster = file, .nodes = nodes, .gpus = {}, .ranks = {}},
        cluster(load_cluster(flags, provenance)),
        group(group_of(cluster, flags)),
        timing(make_timing(cluster, flags, {}, {})),
        nominal(sim::make_engine(cluster, {.fidelity = "analytic"})),
        analytic(
            sim::make_engine(cluster, {.fidelity = "analytic", .timing = timing, .loads = false})),
        flow(sim::make_engine(cluster, {.fidelity = "flow", .timing = timing})),
        chooser(cluster, *nominal, {}) {}

  Provenance provenance;
  ClusterFlags flags;
  topology::Cluster cluster;
  std::shared_ptr<const collectives::Group> group;
  std::shared_ptr<collectives::nccl::FittedPace> timing;
  std::unique_ptr<collectives::Executor> nominal, analytic, flow;
  collectives::nccl::Chooser chooser;

  [[nodiscard]] std::optional<Schedule> schedule(Kind kind, std::int64_t bytes) {
    const bool no_way = cluster.spec().fabric.kind == topology::FabricKind::rail_only &&
                        kind == Kind::send_recv && group->nodes().size() > 1;
    if (no_way) return std::nullopt;  // to the next rank across rails
    return chooser.chosen_schedule({.group = group,
                                    .collective = {.kind = kind, .bytes = Bytes(bytes)},
                                    .algorithm = "auto",
                                    .protocol = {},
                                    .channels = {}});
  }
};

Run run(collectives::Executor& engine, const Schedule& schedule) {
  const collectives::Task task{.schedule = &schedule, .start = Time(), .name = {}};
  return engine.run({&task, 1});
}

std::string what(const Schedule& s, const std::string& file, int nodes) {
  return std::filesystem::path(file).stem().string() + ", " + std::to_string(nodes) + " nodes, " +
         std::string(to_text(s.collective().kind)) + " " + s.algorithm() + " " +
         std::string(to_text(s.protocol())) + " " + std::to_string(s.collective().bytes.count());
}

/// One message alone on a NIC of two ports goes by one of them, which is no contention and yet
/// slower than the model's whole NIC: a connection of one queue pair.
bool is_lone_connection(const Ground& ground, const Schedule& schedule) {
  return ground.cluster.spec().fabric.kind == topology::FabricKind::dual_plane &&
         schedule.collective().kind == Kind::all_to_all && schedule.channels().size() == 1;
}

/// The most that a link of each kind carried, over its bandwidth in the run's time.
std::map<LinkKind, double> utilisation(const topology::Cluster& cluster, const Run& run) {
  std::map<LinkKind, double> most;
  const double seconds = run.tasks.front().finish.seconds();
  for (const auto& load : run.link_loads) {
    const topology::Link& link = cluster.link(load.link);
    double& of = most[link.kind];
    of = std::max(of, load.bytes / (link.bandwidth.bytes_per_second() * seconds));
  }
  return most;
}

TEST(Timing, FlowAgreesWithAnalyticWhereNothingContends) {
  int compared = 0;
  for (const std::string& file : shipped_clusters()) {
    for (const int nodes : {1, 2, 4}) {
      Ground ground(file, nodes);
      for (const Kind kind : kKinds) {
        for (const std::int64_t bytes : kSizes) {
          const auto schedule = ground.schedule(kind, bytes);
          if (!schedule || is_lone_connection(ground, *schedule)) continue;
          const double model = run(*ground.analytic, *schedule).tasks.front().finish.seconds();
          const collectives::Run flow = run(*ground.flow, *schedule);
          const double ratio = flow.tasks.front().finish.seconds() / model;
          EXPECT_GE(ratio, 1 - 1e-6) << what(*schedule, file, nodes);
          EXPECT_LE(ratio, 1.03) << what(*schedule, file, nodes);
          ++compared;
        }
      }
    }
  }
  EXPECT_GT(compared, 1500);
}

/// The example of two sites with other cables between them.
std::string two_sites(const std::string& name, const std::string& count, const std::string& way) {
  const auto example =
      std::filesystem::path(RAILYARD_SOURCE_DIR) / "configs/examples/two_sites_h100.json";
  std::ostringstream text;
  text << std::ifstream(example).rdbuf();
  std::string json = text.str();
  const auto put = [&](const std::string& old, const std::string& now) {
    const auto at = json.find(old);
    ASSERT_NE(at, std::string::npos) << old;
    json.replace(at, old.size(), now);
  };
  put("\"count\": 8", "\"count\": " + count);
  put("\"147 us\"", '"' + way + '"');
  const std::string file = ::testing::TempDir() + "/" + name + ".json";
  std::ofstream(file) << json;
  return file;
}

TEST(Timing, FlowAgreesWithAnalyticBetweenFarSites) {
  for (const char* way : {"147 us", "500 us", "5 ms"}) {
    Ground ground(two_sites("far_sites", "8", way), 2);
    for (const Kind kind : kKinds) {
      for (const std::int64_t bytes : kSizes) {
        const auto schedule = ground.schedule(kind, bytes);
        ASSERT_TRUE(schedule);
        const auto model = run(*ground.analytic, *schedule).tasks.front();
        const auto flow = run(*ground.flow, *schedule).tasks.front();
        const double ratio = flow.finish.seconds() / model.finish.seconds();
        EXPECT_GE(ratio, 1 - 1e-6) << way << what(*schedule, "two sites", 2);
        EXPECT_LE(ratio, 1.03) << way << what(*schedule, "two sites", 2);
      }
    }
  }
}

// A round trip of 2 x (0.5 ms + 1 us) and some 45 us for a message of 1 MiB at a sixteenth of 370
// GB/s: 16 channels x 4 MiB in it are 64 GB/s, less than two of the eight cables carry. That the
// others are missing does not show; where nothing waits it does.
TEST(Timing, WhatWaitsForBuffersDoesNotFillTheCables) {
  const auto busbw = [](const std::string& way) {
    Ground ground(two_sites("two_cables", "2", way), 2);
    const auto schedule = ground.schedule(Kind::all_gather, std::int64_t{1} << 33);
    const auto task = run(*ground.flow, *schedule).tasks.front();
    return std::pair(15.0 / 16 * (std::int64_t{1} << 33) / task.finish.seconds() / 1e9,
                     task.bound_by.text);
  };
  const auto far = busbw("500 us");
  EXPECT_NEAR(far.first, 16 * 4.194304 / 1.047, 0.64);
  EXPECT_EQ(far.second, "round trips");
  // Two cables of 50 GB/s, of which RoCE's headers and NCCL leave 94 %.
  const auto near = busbw("0 us");
  EXPECT_LT(near.first, 2 * 50);
  EXPECT_NE(near.second, "round trips");
}

TEST(Timing, FlowIsNeverFasterThanPortsAndCablesAre) {
  for (const std::string& file : shipped_clusters()) {
    for (const int nodes : {1, 2, 4}) {
      Ground ground(file, nodes);
      for (const Kind kind : kKinds) {
        const auto schedule = ground.schedule(kind, 1 << 28);
        if (!schedule) continue;
        const collectives::Run flow = run(*ground.flow, *schedule);
        for (const auto& [kind_of_link, part] : utilisation(ground.cluster, flow)) {
          // NCCL counts NVLink at 20 to 20.6 of 25 GB/s, PCIe at 24 of 31.5 (gen4) and the links
          // between sockets at 10 to 24 GB/s of three or four UPI or xGMI links of 20 GB/s and
          // more.
          const bool counted_low = kind_of_link < LinkKind::port;
          const double most = !counted_low ? 1.0 : kind_of_link == LinkKind::socket ? 2.5 : 1.31;
          EXPECT_LE(part, most + 1e-9)
              << topology::to_text(kind_of_link) << " of " << what(*schedule, file, nodes);
        }
      }
    }
  }
}

TEST(Timing, AnalyticRowsAreTheNumbersOfValidate) {
  collectives::nccl::Machines machines;
  for (const char* name : {"dgx_h100_ndr400", "dgx_a100_hdr200", "gb200_nvl72", "dgx1_v100_100g",
                           "rtx_pro_6000_8", "oci_gpu4_a100"}) {
    for (const int nodes : {1, 2}) {
      Ground ground(name, nodes);
      const auto& entry = machines.at({name, static_cast<int>(ground.group->size()), nodes});
      const auto model = make_tuning_model(*entry.communicator, collectives::nccl::Version::v2_30);
      for (const Kind kind : kKinds) {
        for (const std::int64_t bytes : {std::int64_t{1} << 10, kSizes[0], kSizes[3]}) {
          const auto schedule = ground.schedule(kind, bytes);
          const auto way = chosen_query(model, *entry.machine, {.kind = kind, .bytes = bytes});
          ASSERT_TRUE(schedule && way);
          // One process per GPU adds 0.5 us (configs/launch_modes/process.json).
          const double us = collective_time(*entry.machine, *way).total() + 0.5;
          const auto row = run(*ground.analytic, *schedule).tasks.front();
          EXPECT_NEAR(row.finish.microseconds() / us, 1, 1e-6) << what(*schedule, name, nodes);
        }
      }
    }
  }
}

TEST(Timing, TheHarnessIsAddedToEveryCall) {
  const auto time = [](const std::string& harness) {
    Ground ground("dgx_h100_ndr400", 1);
    const auto timing = make_timing(ground.cluster, ground.flags, {.harness = harness}, {});
    return timing->pace(*ground.schedule(Kind::all_reduce, 1 << 20))->total();
  };
  EXPECT_EQ(time("process") - time("none"), Time::nanoseconds(500));
  EXPECT_EQ(time("one_thread") - time("threads"), Time::microseconds(15));
  EXPECT_THROW((void)time("mpirun"), InputError);
}

TEST(Timing, RanksOnTheCoresOfHostsAreTimedByLinks) {
  Ground ground(std::string(RAILYARD_SOURCE_DIR) + "/tests/lab/clusters/switch.json", 4);
  EXPECT_EQ(ground.timing, nullptr);
}

TEST(Timing, WhatIsNotNcclsHasANote) {
  Ground ground("dgx_h100_ndr400", 2);
  const auto own = ground.chooser.chosen_schedule({.group = ground.group,
                                                   .collective = {.bytes = Bytes(1 << 20)},
                                                   .algorithm = "halving_doubling",
                                                   .protocol = {},
                                                   .channels = {}});
  EXPECT_FALSE(ground.timing->pace(own));
  ASSERT_EQ(ground.timing->notes().size(), 1u);
  EXPECT_NE(ground.timing->notes().begin()->find("halving_doubling"), std::string::npos);
  // The bottleneck engine's, to the picosecond.
  EXPECT_EQ(run(*ground.analytic, own).tasks.front().finish,
            run(*ground.nominal, own).tasks.front().finish);
}

}  // namespace
}  // namespace railyard::apps
