#include "topology/node/known_devices.hpp"

#include <array>
#include <charconv>
#include <optional>

namespace railyard::topology {
namespace {

// PCI ids: pci.ids of the PCI ID Project (Debian package pci.ids). NVLinks per GPU: NVIDIA's
// architecture white papers (V100 6, A100 12, H100 18, B200 18; A800 and H800 are limited to 8).
// Boards: HGX A100 4-GPU and HGX H100 4-GPU connect each pair directly; 8-GPU boards and DGX-2 have
// NVSwitches. Device id 0: the GPU has no known id of its own, or shares that of another GPU with a
// different power limit.
constexpr auto kGpus = std::to_array<KnownGpu>({
    {0x1db1, "v100_sxm_16", "V100-SXM2-16GB", 70, 6, 0, 16},
    {0x1db5, "v100_sxm", "V100-SXM2-32GB", 70, 6, 0, 16},
    {0x1db8, "v100_sxm3", "V100-SXM3-32GB", 70, 6, 0, 16},
    {0x1db4, "v100_pcie", "V100-PCIE-16GB", 70, 0, 0, 0},
    {0x1db6, "v100_pcie_32", "V100-PCIE-32GB", 70, 0, 0, 0},
    {0x15f9, "p100_sxm", "P100-SXM2-16GB", 60, 4, 0, 0},
    {0x15f8, "p100_pcie", "P100-PCIE-16GB", 60, 0, 0, 0},
    {0x1eb8, "t4", "T4", 75, 0, 0, 0},
    {0x20b2, "a100_sxm_80", "A100-SXM4-80GB", 80, 12, 4, 5},
    {0x20b0, "a100_sxm_40", "A100-SXM4-40GB", 80, 12, 4, 5},
    {0x20b5, "a100_pcie_80", "A100-PCIE-80GB", 80, 0, 0, 0},
    {0x20b1, "a100_pcie_40", "A100-PCIE-40GB", 80, 0, 0, 0},
    {0x20f1, "a100_pcie_40", "A100-PCIE-40GB", 80, 0, 0, 0},
    {0x20f3, "a800_sxm_80", "A800-SXM4-80GB", 80, 8, 0, 5},
    {0x20b7, "a30", "A30", 80, 0, 0, 0},
    {0x2235, "a40", "A40", 86, 0, 0, 0},
    {0x2236, "a10", "A10", 86, 0, 0, 0},
    {0x2237, "a10g", "A10G", 86, 0, 0, 0},
    {0x26b5, "l40", "L40", 89, 0, 0, 0},
    {0x26b9, "l40s", "L40S", 89, 0, 0, 0},
    {0x27b8, "l4", "L4", 89, 0, 0, 0},
    {0x2330, "h100_sxm", "H100-SXM5-80GB", 90, 18, 4, 5},
    {0, "h100_sxm_500w", "H100-SXM5-96GB-500W", 90, 18, 4, 5},
    {0x2331, "h100_pcie", "H100-PCIE-80GB", 90, 0, 0, 0},
    {0x2324, "h800_sxm", "H800-SXM5-80GB", 90, 8, 0, 5},
    {0x2335, "h200_sxm", "H200-SXM5-141GB", 90, 18, 4, 5},
    {0x2329, "h20_sxm", "H20-SXM5-96GB", 90, 18, 0, 5},
    {0x2342, "gh200", "GH200", 90, 0, 0, 0},
    {0x2901, "b200", "B200-SXM-180GB", 100, 18, 0, 5},
    {0x3182, "b300", "B300-SXM-288GB", 103, 18, 0, 5},
    {0x2941, "gb200", "GB200", 100, 18, 0, 4},
    {0, "gb300", "GB300", 103, 18, 0, 4},
    {0x2b85, "rtx_5090", "RTX 5090", 120, 0, 0, 0},
    {0x2bb5, "rtx_pro_6000", "RTX PRO 6000 Blackwell Server Edition", 120, 0, 0, 0},
});

struct KnownNic {
  std::uint16_t vendor, device;
  int gigabits;
};
// Names from pci.ids; the rate is that of the fastest port in the data sheet. EFA: AWS, 100 Gb/s
// per card on p4d and p5, 200 Gb/s on p5en.
constexpr auto kNics = std::to_array<KnownNic>({
    {0x15b3, 0x1003, 56},
    {0x15b3, 0x1007, 56},
    {0x15b3, 0x1011, 56},
    {0x15b3, 0x1013, 100},
    {0x15b3, 0x1015, 50},
    {0x15b3, 0x1017, 100},
    {0x15b3, 0x1019, 100},
    {0x15b3, 0x101b, 200},
    {0x15b3, 0x101c, 200},
    {0x15b3, 0x101d, 200},
    {0x15b3, 0x101f, 50},
    {0x15b3, 0x1021, 400},
    {0x15b3, 0x1023, 800},
    {0x15b3, 0xa2d6, 200},
    {0x15b3, 0xa2dc, 400},
    {0x1d0f, 0xefa0, 100},
    {0x1d0f, 0xefa1, 100},
    {0x1d0f, 0xefa2, 200},
});

std::optional<std::uint16_t> hexadecimal(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  std::uint16_t value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || rest != text.data() + text.size()) return {};
  return value;
}

}  // namespace

const KnownGpu* known_gpu(std::string_view vendor, std::string_view device) {
  constexpr std::uint16_t kNvidia = 0x10de;
  if (hexadecimal(vendor) != kNvidia) return nullptr;
  const std::optional<std::uint16_t> id = hexadecimal(device);
  for (const KnownGpu& gpu : kGpus)
    if (gpu.device != 0 && id == gpu.device) return &gpu;
  return nullptr;
}

const KnownGpu* known_gpu(std::string_view name) {
  for (const KnownGpu& gpu : kGpus)
    if (gpu.key == name || gpu.name == name) return &gpu;
  return nullptr;
}

const KnownGpu& usual_gpu(double gigatransfers) {
  std::string_view name = "b200";
  if (gigatransfers <= 32) name = "h100_sxm";
  if (gigatransfers <= 16) name = "a100_sxm_80";
  if (gigatransfers <= 8) name = "v100_sxm";
  return *known_gpu(name);
}

Bandwidth known_nic_rate(std::string_view vendor, std::string_view device) {
  const auto vendor_id = hexadecimal(vendor), device_id = hexadecimal(device);
  for (const KnownNic& nic : kNics)
    if (vendor_id == nic.vendor && device_id == nic.device)
      return Bandwidth::gigabits_per_second(nic.gigabits);
  return {};
}

Bandwidth usual_nic_rate(double gigatransfers, int lanes) {
  // InfiniBand data rates; the highest one that the slot can carry is returned.
  constexpr std::array<int, 7> kRates{800, 400, 200, 100, 50, 25, 10};
  const double raw = gigatransfers * lanes;  // Gb/s, before encoding: Gen3 x16 is 128
  for (const int rate : kRates)
    if (rate <= raw) return Bandwidth::gigabits_per_second(rate);
  return Bandwidth::gigabits_per_second(kRates.back());
}

}  // namespace railyard::topology
