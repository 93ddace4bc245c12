#include <gtest/gtest.h>

#include <algorithm>

#include "core/diagnostic.hpp"
#include "tests/topology/node_text.hpp"
#include "topology/formats/nccl_xml.hpp"

namespace railyard::topology {
namespace {

std::string error_of(std::string_view text) {
  try {
    (void)read_nccl_xml(text, "n.xml");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

/// The cloud image's file with one text in place of another.
std::string edited(std::string_view name, std::string_view from, std::string_view to) {
  std::string text = fixture(name);
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(NcclXmlErrors, NameLineAndColumnWhereTheFileIsCutOff) {
  const std::string whole = fixture("two_hosts.xml");
  EXPECT_EQ(
      error_of(whole.substr(0, whole.find("<gpu") + 12)),
      "n.xml:line 5, column 18: not XML: Error parsing start element tag (was the file cut off or "
      "edited by hand?)");
  EXPECT_EQ(
      error_of("<system version=\"1\">\n  <cpu numaid=\"0\">\n"),
      "n.xml:line 2, column 19: not XML: Start-end tags mismatch, or the file ends before its "
      "elements do (was the file cut off or edited by hand?)");
  EXPECT_EQ(error_of(""),
            "n.xml:line 1, column 1: not XML: No document element found (was the file cut off "
            "or edited by hand?)");
}

TEST(NcclXmlErrors, SayWhatAnotherFileIs) {
  EXPECT_EQ(
      error_of("<graphs version=\"1\"/>"),
      "n.xml:line 1, /graphs: is a graph file (the channels that NCCL searched), not a topology "
      "(NCCL_TOPO_DUMP_FILE=node.xml writes the topology)");
  EXPECT_EQ(error_of("<topology/>"),
            "n.xml:line 1, /topology: is not NCCL's topology: its root is <topology>, "
            "not <system> (NCCL_TOPO_DUMP_FILE=node.xml writes one)");
  EXPECT_EQ(error_of("<system version=\"7\"/>"),
            "n.xml:line 1, /system: version \"7\" is not known (NCCL writes "
            "version=\"1\", RCCL version=\"2\")");
  EXPECT_EQ(
      error_of("<system/>"),
      "n.xml:line 1, /system: has no version (NCCL writes version=\"1\", RCCL version=\"2\")");
  EXPECT_EQ(error_of("<system version=\"1\"/>"),
            "n.xml:line 1, /system: has no <cpu> (NCCL_TOPO_DUMP_FILE writes a whole topology)");
  EXPECT_EQ(
      error_of("<system version=\"1\"><gpu dev=\"0\"/></system>"),
      "n.xml:line 1, /system/gpu: a <gpu> right below <system> is not NCCL's format (NCCL lists "
      "devices below a <cpu>; NCCL_TOPO_DUMP_FILE writes a whole topology)");
}

TEST(NcclXmlErrors, NameTheElement) {
  EXPECT_EQ(
      error_of(edited("two_hosts.xml", "0000:03:00.0", "0009:01:00.0")),
      "n.xml:line 10, /system/cpu[1]/pci[2]: bus id 0009:01:00.0 appears already in line 4 (each "
      "GPU and NIC is listed once)");
  EXPECT_EQ(error_of(edited("two_hosts.xml", "speed=\"400000\"", "speed=\"fast\"")),
            "n.xml:line 11, /system/cpu[1]/pci[2]/nic/net: speed=\"fast\" is not a whole number");
  EXPECT_EQ(error_of(edited("two_hosts.xml", "latency=\"0.0\"", "latency=\"nan\"")),
            "n.xml:line 11, /system/cpu[1]/pci[2]/nic/net: latency=\"nan\" is not a number");
  EXPECT_EQ(error_of(edited("two_hosts.xml", "busid=\"0009:01:00.0\" ", "")),
            "n.xml:line 4, /system/cpu[1]/pci[1]: has no busid (such as busid=\"0000:1b:00.0\")");
  EXPECT_EQ(error_of(edited("two_hosts.xml", "count=\"18\"", "count=\"0\"")),
            "n.xml:line 6, /system/cpu[1]/pci[1]/gpu/nvlink: count=0 is not between 1 and 1000");
  EXPECT_EQ(error_of(edited("two_hosts.xml", "bw=\"22500\" ", "")),
            "n.xml:line 7, /system/cpu[1]/pci[1]/gpu/c2c: a c2c needs bw (MB/s of one link) and "
            "count, both "
            "positive");
  EXPECT_EQ(error_of(edited("two_hosts.xml", "sm=\"100\"", "sm=\"90\"")),
            "n.xml:line 16, /system/cpu[2]/pci[1]/gpu: the node has GPUs of sm 100 and of sm 90 "
            "(only nodes with one type of GPU are supported)");
  EXPECT_EQ(error_of(edited("xgmi_ring.xml", "dev=\"2\"", "dev=\"1\"")),
            "n.xml:line 16, /system/cpu/pci[3]/gpu: GPU 1 (dev) appears already in line 11");
  EXPECT_EQ(error_of(edited("two_hosts.xml", "link_width=\"16\"", "link_width=\"99\"")),
            "n.xml:line 4, /system/cpu[1]/pci[1]: link_width 99 is not between 0 and 32 lanes");
  EXPECT_EQ(
      error_of(edited("hopper_pair.xml", "dev=\"1\" speed", "dev=\"0\" speed")),
      "n.xml:line 19, /system/cpu[1]/pci[1]/pci[2]/nic/net[2]: net 0 appears already in line 18");
  EXPECT_EQ(error_of(edited("hopper_pair.xml", "numaid=\"1\"", "numaid=\"0\"")),
            "n.xml:line 29, /system/cpu[2]: NUMA domain 0 is listed twice");
}

TEST(NcclXmlErrors, RefuseNvlinksThatLeadToNoGpu) {
  EXPECT_EQ(
      error_of(edited("xgmi_ring.xml", "target=\"0000:23:00.0\"", "target=\"next\"")),
      "n.xml:line 7, /system/cpu/pci[1]/gpu/xgmi[2]: target=\"next\" is not a bus id (such as "
      "target=\"0000:1b:00.0\")");
  EXPECT_EQ(error_of(edited("xgmi_ring.xml", R"(target="0000:23:00.0" count="1" tclass="0x038000")",
                            R"(target="0000:99:00.0" count="1")")),
            "n.xml:line 7, /system/cpu/pci[1]/gpu/xgmi[2]: target 0000:99:00.0 is not in the file, "
            "and there "
            "is no tclass (tclass=\"0x068000\" is an NVSwitch)");
  EXPECT_EQ(
      error_of(edited("two_hosts.xml", R"(target="fffffff:ffff:ff" count="18" tclass="0x068000")",
                      R"(target="0000:03:00.0" count="18" tclass="0x030200")")),
      "n.xml:line 6, /system/cpu[1]/pci[1]/gpu/nvlink: target 0000:03:00.0 is not a GPU (line 10)");
}

TEST(NcclXmlErrors, SayWhatIsMissingOfABareFile) {
  EXPECT_EQ(
      error_of("<system version=\"1\"><cpu numaid=\"0\"><pci busid=\"0:0:1.0\"/></cpu></system>"),
      "n.xml:line 1, /system: has no GPU: its PCIe functions have a bus id but no class (NCCL "
      "completes such a file on the machine: run NCCL there with NCCL_TOPO_DUMP_FILE=node.xml and "
      "import that file)");
  EXPECT_EQ(
      error_of("<system version=\"1\"><cpu numaid=\"0\"><pci busid=\"0:0:1.0\" class=\"0x030200\"/>"
               "</cpu></system>"),
      "n.xml:line 1, /system/cpu/pci: the file does not contain the type of the GPUs (no sm, no "
      "known PCI id, no link_speed) (convert the file with 'railyard topo import --gpu h100_sxm')");
}

TEST(NcclXmlErrors, AreAllReportedTogether) {
  std::string text = edited("two_hosts.xml", "speed=\"400000\"", "speed=\"fast\"");
  text.replace(text.find("count=\"18\""), 10, "count=\"-1\"");
  const std::string error = error_of(text);
  EXPECT_EQ(std::count(error.begin(), error.end(), '\n'), 1) << error;
}

TEST(NcclXmlErrors, BoundSizeAndDepth) {
  EXPECT_EQ(error_of(std::string((std::size_t{64} << 20) + 1, ' ')),
            "n.xml: is larger than 64 MiB (a node's topology takes a few kilobytes)");
  std::string deep;
  for (int i = 0; i < 300; ++i) deep += "<pci>";
  for (int i = 0; i < 300; ++i) deep += "</pci>";
  EXPECT_EQ(error_of(deep), "n.xml:line 1: nests deeper than 256 elements");
  std::string many = "<a>";
  for (int i = 0; i < 2'000'001; ++i) many += "<b/>";
  EXPECT_EQ(error_of(many + "</a>"),
            "n.xml: has more than 1000000 XML tags (a node's topology has a few hundred)");
}

}  // namespace
}  // namespace railyard::topology
