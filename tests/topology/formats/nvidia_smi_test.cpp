#include "topology/formats/nvidia_smi.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostic.hpp"
#include "tests/topology/node_text.hpp"
#include "topology/cluster/cluster_spec.hpp"

namespace railyard::topology {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string error_of(std::string_view text) {
  try {
    (void)read_nvidia_smi(text, "t.txt", read_gpu("a100_sxm_80"));
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

// GPU0 and NIC0 share a switch (PIX), GPU1 is one level further (PXB); GPU2, GPU3 and NIC1 share a
// switch; NIC2 is alone on the second CPU. NV12 towards three others is 36 links, more than the 12
// of an A100: they lead to NVSwitches.
TEST(NvidiaSmi, RebuildsATreeWithTheRelationsOfTheMatrix) {
  const ImportedNode read =
      read_nvidia_smi(fixture("four_gpus.topo"), "four_gpus.topo", read_gpu("a100_sxm_80"));
  EXPECT_EQ(read.node.name, "four_gpus");
  EXPECT_EQ(node_text(read.node), R"(A100-SXM4-80GB sm 80 nvlink 20 GB/s hosts 1
cpu 0 x86_64 GenuineIntel 6/106  host -
  switch 0000:01:00.0 '16.0 GT/s PCIe' x16
    switch 0000:02:00.0 '16.0 GT/s PCIe' x16
      gpu 0 0000:03:00.0 '16.0 GT/s PCIe' x16 0x10de 0x20b2
      nic 0000:04:00.0 '16.0 GT/s PCIe' x16
        net 0 mlx5_0 200 Gb/s port 1 guid - latency 0 s maxconn 131072 gdr
    gpu 1 0000:05:00.0 '16.0 GT/s PCIe' x16 0x10de 0x20b2
cpu 1 x86_64 GenuineIntel 6/106  host -
  switch 0000:07:00.0 '16.0 GT/s PCIe' x16
    gpu 2 0000:08:00.0 '16.0 GT/s PCIe' x16 0x10de 0x20b2
    gpu 3 0000:09:00.0 '16.0 GT/s PCIe' x16 0x10de 0x20b2
    nic 0000:0a:00.0 '16.0 GT/s PCIe' x16
      net 1 mlx5_3 200 Gb/s port 1 guid - latency 0 s maxconn 131072 gdr
  nic 0000:0b:00.0 '16.0 GT/s PCIe' x16
    net 2 mlx5_bond_0 200 Gb/s port 1 guid - latency 0 s maxconn 131072 gdr
nvlink 0 -> switch x12
nvlink 1 -> switch x12
nvlink 2 -> switch x12
nvlink 3 -> switch x12
)");
  EXPECT_THAT(read.notes,
              ElementsAre("assumed: NVSwitches, because 12 NVLinks connect every two GPUs",
                          "assumed: PCIe 16.0 GT/s PCIe x16 and Intel CPUs of that generation, "
                          "because nvidia-smi does not print speeds",
                          "assumed: a rate of 200 Gb/s for each of the 3 NICs"));
}

// The DGX-1's own: 2 and 1 links, six in all; no NICs, so that the NUMA column alone places the
// GPUs.
TEST(NvidiaSmi, KeepsDirectNvlinksAndTakesTheNumaColumnWhereNvlinkHidesPcie) {
  const ImportedNode read = read_nvidia_smi(
      "GPU0 GPU1 GPU2 CPU Affinity NUMA Affinity\n"
      "GPU0 X NV2 NV1 0-3 0\nGPU1 NV2 X NV1 4-7 1\nGPU2 NV1 NV1 X 0-3 0\n",
      "t.txt", read_gpu("v100_sxm"));
  const std::string text = node_text(read.node);
  EXPECT_EQ(text.substr(text.find("cpu 0")), R"(cpu 0 x86_64 GenuineIntel 6/85  host -
  gpu 0 0000:01:00.0 '8.0 GT/s PCIe' x16 0x10de 0x1db5
  gpu 2 0000:02:00.0 '8.0 GT/s PCIe' x16 0x10de 0x1db5
cpu 1 x86_64 GenuineIntel 6/85  host -
  gpu 1 0000:03:00.0 '8.0 GT/s PCIe' x16 0x10de 0x1db5
nvlink 0 -> 1 x2
nvlink 0 -> 2 x1
nvlink 1 -> 0 x2
nvlink 1 -> 2 x1
nvlink 2 -> 0 x1
nvlink 2 -> 1 x1
)");
}

TEST(NvidiaSmi, SaysWhatIsWrongWithTheMatrix) {
  EXPECT_EQ(error_of("hello\n"),
            "t.txt: has no line of GPU0, GPU1, ... (it should be what nvidia-smi topo -m prints)");
  EXPECT_EQ(error_of(std::string_view("GPU0\nGPU0 X\nNIC0: mlx5_0\0\n", 27)),
            "t.txt:line 3: control character 0x00 in a text file (save the output of "
            "'nvidia-smi topo -m' as it is)");
  EXPECT_EQ(error_of("GPU0 GPU1\nGPU0 X NODE\n"), "t.txt: has no row of GPU1");
  EXPECT_EQ(error_of("GPU0 GPU1\nGPU0 X\n"),
            "t.txt:line 2: 1 entries, but the header has 2 devices");
  EXPECT_EQ(error_of("GPU0 GPU1\nGPU0 X NEAR\n"),
            "t.txt:line 2: 'NEAR' is not a relation of nvidia-smi topo -m (X, NV#, PIX, PXB, PHB, "
            "NODE or SYS)");
  EXPECT_EQ(error_of("GPU0 GPU1\nGPU0 NODE X\n"), "t.txt:line 2: GPU0 to GPU0 is NODE");
  EXPECT_EQ(error_of("GPU0 GPU1\nGPU0 X SYS\nGPU1 NODE X\n"),
            "t.txt: GPU0 to GPU1 and the reverse have different relations (is a line missing or "
            "cut off?)");
  EXPECT_EQ(error_of("GPU0 GPU0\n"), "t.txt:line 1: GPU0 is listed twice");
  EXPECT_EQ(error_of("GPU0 GPU1 GPU2\nGPU0 X PIX SYS\nGPU1 PIX X PIX\nGPU2 SYS PIX X\n"),
            "t.txt: these relations are not those of a PCIe tree: GPU0 and GPU2 are closer to each "
            "other through other devices (is an "
            "entry mistyped?)");
  EXPECT_EQ(
      error_of("GPU0 GPU1 GPU2\nGPU0 X NV12 NV12\nGPU1 NV12 X NV4\nGPU2 NV12 NV4 X\n"),
      "t.txt: more NVLinks than the 12 of A100-SXM4-80GB, but not the same number between all GPUs "
      "(give the type of the GPUs with --gpu)");
}

}  // namespace
}  // namespace railyard::topology
