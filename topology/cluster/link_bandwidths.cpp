#include "topology/cluster/link_bandwidths.hpp"

#include <array>
#include <charconv>
#include <utility>

namespace railyard::topology {
namespace {

// NCCL 2.30.7 src/graph/topo.cc, kvDictPciGen: transfer rate -> bandwidth code (lanes x code / 80
// GB/s).
constexpr std::array<std::pair<double, int>, 6> kPcieCodes{
    {{2.5, 15}, {5.0, 30}, {8.0, 60}, {16.0, 120}, {32.0, 240}, {64.0, 480}}};
constexpr int kUnknownPcieCode = 60;   // same table: an empty or unknown speed is Gen3
constexpr int kUnknownPcieWidth = 16;  // topo.cc, ncclTopoAddPci: width 0 is 16

struct ByCapability {
  int from;  ///< applies at this compute capability and above
  std::int64_t megabytes_per_second;
};
// NCCL 2.30.7 src/graph/topo.h, SM*_NVLINK_BW and ncclTopoNVLinkBw, newest first; 8.6 alone has the
// slower links, and what is older than 6.0 counts as 8.0.
constexpr std::array<ByCapability, 8> kNvlink{{{100, 40'100},
                                               {90, 20'600},
                                               {87, 20'000},
                                               {86, 12'000},
                                               {80, 20'000},
                                               {70, 20'000},
                                               {60, 18'000},
                                               {0, 20'000}}};

struct ByModel {
  int from;  ///< applies at this model number and above
  std::int64_t gigabytes_per_second;
};
// NCCL 2.30.7 src/graph/topo.h: SRP 40, ERP 22, SKL 10, BDW (QPI) 6, of Intel family 6 by model.
constexpr std::array<ByModel, 4> kIntel{{{0xCF, 40}, {0x8F, 22}, {0x55, 10}, {0, 6}}};
// Same file: AMD_BW, ZPI_BW, YONGFENG_ZPI_BW, ARM_BW, P9_BW.
constexpr std::int64_t kAmd = 16, kZhaoxin = 6, kYongfeng = 9, kArm = 6, kPower9 = 32;
// NCCL 2.30.7 src/graph/topo.cc, ncclTopoGetSystem: the Yongfeng CPUs of Zhaoxin.
constexpr int kYongfengFamily = 7, kYongfengModel = 0x5B;
// Same file: LOC_BW.
constexpr std::int64_t kLocal = 5000;

}  // namespace

std::optional<double> pcie_transfer_rate(std::string_view link_speed) {
  double rate = 0;
  const char* const end = link_speed.data() + link_speed.size();
  const auto [rest, error] = std::from_chars(link_speed.data(), end, rate);
  const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  if (error != std::errc() || !unit.starts_with(" GT/s")) return {};
  for (const auto& [known, code] : kPcieCodes)
    if (known == rate) return rate;
  return {};
}

Bandwidth pcie_bandwidth(std::string_view link_speed, int link_width) {
  int code = kUnknownPcieCode;
  if (const auto rate = pcie_transfer_rate(link_speed)) {
    for (const auto& [known, value] : kPcieCodes)
      if (known == *rate) code = value;
  }
  const int width = link_width > 0 ? link_width : kUnknownPcieWidth;
  return Bandwidth::bits_per_second(std::int64_t{8'000'000'000} * width * code / 80);
}

Bandwidth pcie_bandwidth(const PcieSpec& function) {
  if (function.bandwidth) return *function.bandwidth;
  return pcie_bandwidth(function.link_speed, function.link_width);
}

std::optional<Bandwidth> pcie_line_rate(const PcieSpec& function) {
  if (function.bandwidth) return function.bandwidth;
  const std::optional<double> rate = pcie_transfer_rate(function.link_speed);
  if (!rate || function.link_width == 0) return {};
  // PCI Express Base Specification 6.0, section 4.2: 8b/10b, 128b/130b, 1b/1b FLITs.
  const double code = *rate < 8 ? 8.0 / 10 : (*rate < 64 ? 128.0 / 130 : 1.0);
  return Bandwidth::from_gigabytes_per_second(*rate * function.link_width * code / 8);
}

Bandwidth nvlink_bandwidth(int compute_capability) {
  for (const ByCapability& row : kNvlink) {
    if (compute_capability >= row.from)
      return Bandwidth::bytes_per_second(row.megabytes_per_second * 1'000'000);
  }
  return Bandwidth::bytes_per_second(kNvlink.back().megabytes_per_second * 1'000'000);
}

Bandwidth socket_bandwidth(const CpuSpec& cpu) {
  const auto gigabytes = [](std::int64_t n) { return Bandwidth::gigabytes_per_second(n); };
  if (cpu.arch == "arm64") return gigabytes(kArm);
  if (cpu.arch == "ppc64") return gigabytes(kPower9);
  if (cpu.vendor == "AuthenticAMD") return gigabytes(kAmd);
  if (cpu.vendor == "CentaurHauls" || cpu.vendor == "  Shanghai  ") {
    const bool yongfeng = cpu.family == kYongfengFamily && cpu.model == kYongfengModel;
    return gigabytes(yongfeng ? kYongfeng : kZhaoxin);
  }
  if (cpu.vendor != "GenuineIntel") return gigabytes(kLocal);
  for (const ByModel& row : kIntel) {
    if (cpu.model >= row.from) return gigabytes(row.gigabytes_per_second);
  }
  return gigabytes(kIntel.back().gigabytes_per_second);
}

Bandwidth virtual_nic_bandwidth() { return Bandwidth::gigabytes_per_second(kLocal); }

}  // namespace railyard::topology
