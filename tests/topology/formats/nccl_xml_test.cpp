#include "topology/formats/nccl_xml.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostic.hpp"
#include "tests/topology/node_text.hpp"
#include "topology/formats/nccl_xml_writer.hpp"

namespace railyard::topology {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

ImportedNode read_fixture(const std::string& name) { return read_nccl_xml(fixture(name), name); }

// By hand from the file: the drive and the console lead to nothing, GPU 2 has no rank; 5+5+4+4 and
// 9+9 links to the NVSwitches are 18 each; rail and plane of -1 are unset; bus ids are lower case.
TEST(NcclXml, ReadsEveryPartOfANode) {
  const ImportedNode read = read_fixture("hopper_pair.xml");
  EXPECT_EQ(read.node.name, "hopper-pair");
  EXPECT_EQ(node_text(read.node),
            R"(H100-SXM5-80GB sm 90 nvlink 20.6 GB/s hosts 1
cpu 0 x86_64 GenuineIntel 6/143 0000ffff host 0xfeed
  switch 0000:10:00.0 '32.0 GT/s PCIe' x16 0x060400 0x1000 0xc030 0x1000 0x0001
    switch 0000:11:00.0 '32.0 GT/s PCIe' x16 0x060400 0x1000 0xc030 0x1000 0x1001
      gpu 0 0000:12:00.0 '32.0 GT/s PCIe' x16 0x030200 0x10de 0x2330 0x10de 0x16c1
    nic 0000:13:00.0 '32.0 GT/s PCIe' x16 0x020700 0x15b3 0x1021 0x15b3 0x0023
      net 0 mlx5_0 200 Gb/s port 1 guid 0x1100 latency 1.5 us maxconn 131072 gdr coll rail 0 plane 0
      net 1 mlx5_1 200 Gb/s port 2 guid 0x1100 latency 1.5 us maxconn 131072 gdr
  nic virtual '' x0 5000 GB/s
    net 2 eth0 100 Gb/s port 0 guid 0x0 latency 0 s maxconn 65536
cpu 1 x86_64 GenuineIntel 6/143 ffff0000 host 0xfeed
  gpu 1 0000:a2:00.0 '' x0 0x030200 0x10de 0x2330 no-gdr
nvlink 0 -> switch x18
nvlink 1 -> switch x18
)");
  EXPECT_THAT(read.notes, ElementsAre("GPUs left out, as in NCCL, because they have no rank: 1"));
}

// GPUs are numbered by bus id. Four A100 of one board: 12 links / 3 others = 4 for each pair. Gen4
// x16 carries 256 Gb/s raw, so 200 Gb/s InfiniBand; the ConnectX-5 (0x1017) has 100 Gb/s.
TEST(NcclXml, TellsDevicesByTheirClassWhereThatIsAllThereIs) {
  const ImportedNode read = read_fixture("cloud_image.xml");
  EXPECT_EQ(read.node.name, "cloud_image");
  EXPECT_EQ(node_text(read.node),
            R"(A100-SXM4-80GB sm 80 nvlink 20 GB/s hosts 1
cpu 0 x86_64 AuthenticAMD 23/49 ff host -
  gpu 1 0002:00:00.0 '16 GT/s' x16 0x030200 0x10de 0x20b2
  gpu 0 0001:00:00.0 '16 GT/s' x16 0x030200 0x10de 0x20b2
  nic 0101:00:00.0 '16 GT/s' x16 0x020700
    net 0 nic0 200 Gb/s port 1 guid - latency 0 s maxconn 131072 gdr
cpu 1 x86_64 AuthenticAMD 23/49 ff00 host -
  gpu 2 0003:00:00.0 '16 GT/s' x16 0x030200 0x10de 0x20b2
  gpu 3 0004:00:00.0 '16 GT/s' x16 0x030200 0x10de 0x20b2
  nic 0102:00:00.0 '16 GT/s' x8 0x020000 0x15b3 0x1017
    net 1 nic1 100 Gb/s port 1 guid - latency 0 s maxconn 131072 gdr
nvlink 0 -> 1 x4
nvlink 0 -> 2 x4
nvlink 0 -> 3 x4
nvlink 1 -> 0 x4
nvlink 1 -> 2 x4
nvlink 1 -> 3 x4
nvlink 2 -> 0 x4
nvlink 2 -> 1 x4
nvlink 2 -> 3 x4
nvlink 3 -> 0 x4
nvlink 3 -> 1 x4
nvlink 3 -> 2 x4
)");
  EXPECT_THAT(
      read.notes,
      ElementsAre(
          "assumed: GPUs of type A100-SXM4-80GB, as usual on PCIe of 16 GT/s, because the file "
          "does not contain their type; correct it with 'railyard topo import --gpu NAME'",
          "assumed: GPUs of type A100-SXM4-80GB, because they are known by their PCI class only: 4",
          "assumed: 4 NVLinks between each two GPUs, as on boards of 4 A100-SXM4-80GB, because the "
          "file does not list NVLinks",
          "NICs without a rate in the file; their rate is assumed from the PCI id or the PCIe "
          "link: 2"));
}

TEST(NcclXml, TakesTheGpuTypeThatIsNamed) {
  const ImportedNode read = read_nccl_xml(fixture("cloud_image.xml"), "x.xml", "v100_sxm");
  EXPECT_EQ(read.node.gpu.compute_capability, 70);
  EXPECT_THAT(read.node.nvlinks, IsEmpty());  // four V100 have no board of their own
}

// Found by fuzzing: sm, but no <gpu> and no known PCI id, so that no board can be told.
TEST(NcclXml, HasNoNvlinksWhereTheBoardIsNotKnown) {
  const ImportedNode read = read_nccl_xml(
      "<system version=\"1\"><cpu numaid=\"0\">"
      "<pci busid=\"0:1:0.0\" class=\"0x030200\" sm=\"90\"/></cpu></system>",
      "x.xml");
  EXPECT_EQ(read.node.gpu.name, "sm90");
  EXPECT_THAT(read.node.nvlinks, IsEmpty());
}

// Two hosts of one domain: same bus ids, device and NUMA numbers. 20 C2C links of 22,500 MB/s are
// 450 GB/s.
TEST(NcclXml, NumbersTheHostsOfOneNvlinkDomainThrough) {
  const ImportedNode read = read_fixture("two_hosts.xml");
  EXPECT_EQ(node_text(read.node), R"(GB200 sm 100 nvlink 40.1 GB/s hosts 2
cpu 0 arm64  0/0 ffff host 0xa
  gpu 0 0009:01:00.0 '32.0 GT/s PCIe' x16 0x030200 0x10de 0x2941
  nic 0000:03:00.0 '32.0 GT/s PCIe' x16 0x020700 0x15b3 0x1021
    net 0 mlx5_0 400 Gb/s port 1 guid 0xa1 latency 0 s maxconn 131072 gdr
cpu 1 arm64  0/0 ffff host 0xb
  gpu 1 0009:01:00.0 '32.0 GT/s PCIe' x16 0x030200 0x10de 0x2941
  nic 0000:03:00.0 '32.0 GT/s PCIe' x16 0x020700 0x15b3 0x1021
    net 1 mlx5_0 400 Gb/s port 1 guid 0xb1 latency 0 s maxconn 131072 gdr
nvlink 0 -> switch x18
nvlink 1 -> switch x18
c2c 0 -> cpu 0 450 GB/s
c2c 1 -> cpu 1 450 GB/s
)");
}

// gcn 910 is RCCL's old name of gfx90a, whose xGMI RCCL counts with 36 GB/s.
TEST(NcclXml, ReadsRcclAndAddsTheOtherEndOfALink) {
  const ImportedNode read = read_fixture("xgmi_ring.xml");
  EXPECT_EQ(read.node.gpu.name, "gfx90a");
  EXPECT_EQ(read.node.gpu.nvlink_bandwidth, Bandwidth::gigabytes_per_second(36));
  const std::string text = node_text(read.node);
  EXPECT_THAT(text.substr(text.find("nvlink 0")), R"(nvlink 0 -> 1 x2
nvlink 0 -> 2 x1
nvlink 1 -> 0 x2
nvlink 2 -> 0 x1
)");
  EXPECT_THAT(
      read.notes,
      ElementsAre("AMD gfx90a with xGMI: choices and times are those of NCCL on NVIDIA GPUs",
                  "NVLinks listed at one end only (the other end is added): 1"));
}

class RoundTrip : public ::testing::TestWithParam<const char*> {};

TEST_P(RoundTrip, ExportReadsBackToTheSameNode) {
  const ImportedNode first = read_fixture(GetParam());
  const ImportedNode second = read_nccl_xml(export_nccl_xml(first.node), GetParam());
  EXPECT_EQ(node_text(second.node), node_text(first.node));
  EXPECT_EQ(second.node.name, first.node.name);
}
INSTANTIATE_TEST_SUITE_P(NcclXml, RoundTrip,
                         ::testing::Values("hopper_pair.xml", "cloud_image.xml", "two_hosts.xml",
                                           "xgmi_ring.xml"));

TEST(NcclXml, ExportWritesWhatNcclNeeds) {
  NodeSpec node;
  node.name = "a<b";
  node.gpu = {.name = "h100_sxm", .compute_capability = 90};
  CpuSpec cpu;
  cpu.vendor = "GenuineIntel";
  cpu.pcie.push_back({.kind = PcieKind::gpu, .link_speed = "32.0 GT/s PCIe", .gpu = 3});
  cpu.pcie.push_back({.kind = PcieKind::gpu, .busid = "0000:20:00.0", .gpu = 1});
  node.cpus.push_back(cpu);
  node.nvlinks = {{.gpu = 3, .peer = 1, .count = 6}, {.gpu = 1, .peer = {}, .count = 12}};
  EXPECT_EQ(export_nccl_xml(node), R"(<system version="1" name="a&lt;b">
  <cpu numaid="0" arch="x86_64" vendor="GenuineIntel" familyid="0" modelid="0">
    <pci busid="1000:00:00.0" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="16">
      <gpu dev="3" sm="90" rank="1" gdr="1">
        <nvlink target="0000:20:00.0" count="6" tclass="0x030200"/>
      </gpu>
    </pci>
    <pci busid="0000:20:00.0" class="0x030200" link_speed="" link_width="16">
      <gpu dev="1" sm="90" rank="0" gdr="1">
        <nvlink target="ffff:00:00.0" count="12" tclass="0x068000"/>
        <nvlink target="1000:00:00.0" count="6" tclass="0x030200"/>
      </gpu>
    </pci>
  </cpu>
</system>
)");
}

}  // namespace
}  // namespace railyard::topology
