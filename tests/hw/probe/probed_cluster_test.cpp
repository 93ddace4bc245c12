#include "hw/probe/probed_cluster.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/diagnostic.hpp"
#include "hw/probe/describe.hpp"

namespace railyard::hw {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

HostReport report(const std::string& host, int ranks, std::int64_t step_ns) {
  Machine machine;
  machine.host = host;
  machine.numas = {{.number = 0, .cores = 4, .cpumap = "f"}};
  machine.ports = {{.name = "eth0",
                    .address = {},
                    .guid = "guid of " + host,
                    .rate = Bandwidth::gigabits_per_second(25)}};
  ProbedNode probed;
  probed.node = describe_host_node(machine, ranks,
                                   {.all_cores = Bandwidth::gigabits_per_second(80), .cores = 4})
                    .node;
  probed.transport = "tcp";
  probed.timing = HostTiming{.launch = Time::microseconds(2),
                             .step = Time::nanoseconds(step_ns),
                             .rate = Bandwidth::gigabits_per_second(20),
                             .cached_rate = {}};
  return report_of(host, probed);
}

/// A folder of the test with the files of a probe, and where its cluster file would be.
std::string write_files(const NodeFiles& nodes) {
  const auto folder = std::filesystem::path(::testing::TempDir()) / "railyard_probed_cluster";
  std::filesystem::create_directories(folder);
  for (const NodeFile& file : nodes.files) std::ofstream(folder / file.name) << file.text;
  return (folder / "mine.json").string();
}

TEST(ProbedCluster, EqualHostsShareTheFilesOfOneNode) {
  const std::vector<HostReport> reports{report("h1", 4, 700), report("h2", 4, 700)};
  const HostKinds hosts = kinds_of(reports);
  const NodeFiles nodes = node_files(hosts, "out/mine.json");
  ASSERT_THAT(nodes.files, SizeIs(2));
  EXPECT_EQ(nodes.files[0].name, "mine.rank.json");
  EXPECT_EQ(nodes.files[1].name, "mine.node.json");
  EXPECT_THAT(nodes.files[1].text, HasSubstr("mine.rank.json"));
  EXPECT_THAT(nodes.nodes, ElementsAre("mine.node.json"));
  const std::string file = write_files(nodes);
  const ProbedCluster probed =
      probed_cluster(reports, hosts, nodes.nodes, {.nodes = 2, .notes = {"assumed"}}, file);
  EXPECT_EQ(probed.cluster.name, "h1");
  EXPECT_EQ(probed.cluster.nodes, 2);
  EXPECT_THAT(probed.cluster.groups, IsEmpty());
  EXPECT_THAT(probed.notes, ElementsAre("assumed"));
  EXPECT_EQ(probed.cluster.overheads.simple.pcie, Time::nanoseconds(700));
  EXPECT_EQ(probed.cluster.overheads.simple.launch, Time::microseconds(2));
  const topology::Cluster built = built_from_files(probed.cluster, file);
  EXPECT_EQ(built.node_count(), 2U);
  EXPECT_EQ(built.rank_count(), 8U);
}

TEST(ProbedCluster, HostsThatDifferAreGroupsInTheirOrderWithTheOverheadsOfTheSlowest) {
  const std::vector<HostReport> reports{report("h1", 4, 700), report("h2", 2, 900),
                                        report("h3", 2, 900), report("h4", 4, 700)};
  const HostKinds hosts = kinds_of(reports);
  const NodeFiles nodes = node_files(hosts, "mine.json");
  EXPECT_THAT(nodes.nodes, ElementsAre("mine0.node.json", "mine1.node.json"));
  const std::string file = write_files(nodes);
  const ProbedCluster probed = probed_cluster(reports, hosts, nodes.nodes, {.nodes = 4}, file);
  ASSERT_THAT(probed.cluster.groups, SizeIs(3));  // h1; h2 and h3; h4
  EXPECT_EQ(probed.cluster.groups[1].node, "mine1.node.json");
  EXPECT_EQ(probed.cluster.groups[1].count, 2);
  EXPECT_EQ(probed.cluster.groups[2].node, "mine0.node.json");
  EXPECT_EQ(probed.cluster.overheads.simple.nvlink, Time::nanoseconds(900));
  EXPECT_EQ(built_from_files(probed.cluster, file).rank_count(), 12U);
  // A file of the fabric does not say which host is of which kind.
  try {
    (void)probed_cluster(reports, hosts, nodes.nodes, {.file = "fabric.conf"}, file);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("can only connect equal hosts, but host h2 differs"));
  }
}

TEST(ProbedCluster, AFabricFileThatListsOtherHostsIsNoted) {
  const std::vector<HostReport> reports{report("h2", 4, 700), report("h3", 4, 700)};
  const HostKinds hosts = kinds_of(reports);
  const NodeFiles nodes = node_files(hosts, "mine.json");
  const std::string file = write_files(nodes);
  const std::string fabric = file + ".conf";
  std::ofstream(fabric) << "SwitchName=leaf0 Nodes=h1,h2\n";
  const ProbedCluster probed =
      probed_cluster(reports, hosts, nodes.nodes, {.fabric = {}, .file = fabric}, file);
  EXPECT_THAT(probed.notes, ::testing::Contains(HasSubstr("does not list host h3")));
  EXPECT_THAT(probed.notes, ::testing::Contains(HasSubstr("h1 first; a run whose hosts are in "
                                                          "another order needs a host file")));
}

}  // namespace
}  // namespace railyard::hw
