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
// NCCL 2.30.7 src/graph/topo.h, SM*_NVLINK_BW and ncclTopoNVLinkBw, newest first. Only compute
// capability 8.6 has the slower links; capabilities below 6.0 use the value of 8.0.
constexpr std::array<ByCapability, 8> kNvlink{{{100, 40'100},
                                               {90, 20'600},
                                               {87, 20'000},
                                               {86, 12'000},
                                               {80, 20'000},
                                               {70, 20'000},
                                               {60, 18'000},
                                               {0, 20'000}}};

// Per-direction rate of one NVLink: bidirectional bandwidth in NVIDIA's data sheets / 2 / number of
// links. B200: 1800 GB/s, 18 links; H100: 900, 18; RTX A6000: 112.5, 4; A100: 600, 12; V100: 300,
// 6; P100: 160, 4. Orin (8.7) has no data-sheet value and uses that of A100.
constexpr std::array<ByCapability, 8> kNvlinkLine{{{100, 50'000},
                                                   {90, 25'000},
                                                   {87, 25'000},
                                                   {86, 14'063},
                                                   {80, 25'000},
                                                   {70, 25'000},
                                                   {60, 20'000},
                                                   {0, 25'000}}};

struct ByModel {
  int from;  ///< applies at this model number and above
  std::int64_t gigabytes_per_second;
};
// NCCL 2.30.7 src/graph/topo.h: SRP 40, ERP 22, SKL 10, BDW (QPI) 6, by model number of Intel
// family 6.
constexpr std::array<ByModel, 4> kIntel{{{0xCF, 40}, {0x8F, 22}, {0x55, 10}, {0, 6}}};
// Bandwidth between the two CPUs of a typical server: transfer rate x data lanes x links, by data
// sheet. Of 20 UPI or QPI lanes 16 carry data (of 24 lanes 19.2). Intel family 6: Sapphire Rapids
// and later 16 GT/s x 19.2 x 3, Ice Lake 11.2 x 16 x 3, Skylake 10.4 x 16 x 3, Broadwell and
// earlier 9.6 x 16 x 2.
constexpr std::array<ByModel, 4> kIntelLine{{{0x8F, 115}, {0x6A, 67}, {0x55, 62}, {0, 38}}};
// AMD: xGMI-2 16 GT/s x 16 x 3 (EPYC 7002 and 7003: family 23, and family 25 below model 16),
// xGMI-3 twice that. Power9: X-bus 16 GT/s x 32.
constexpr std::int64_t kXgmi2 = 96, kXgmi3 = 192, kXbus = 64;
constexpr int kZen2Family = 23, kZen3Family = 25, kGenoaModel = 16;

// NCCL 2.30.7 src/graph/topo.h: AMD_BW, ZPI_BW, YONGFENG_ZPI_BW, ARM_BW, P9_BW.
constexpr std::int64_t kAmd = 16, kZhaoxin = 6, kYongfeng = 9, kArm = 6, kPower9 = 32;
// NCCL 2.30.7 src/graph/topo.cc, ncclTopoGetSystem: the Yongfeng CPUs of Zhaoxin.
constexpr int kYongfengFamily = 7, kYongfengModel = 0x5B;
// Same file: LOC_BW.
constexpr std::int64_t kLocal = 5000;

// A PCIe 3.0 to 5.0 memory-write packet: 4 bytes of framing, 16 of header, 256 of data (the usual
// maximum payload on servers), 4 of checksum (PCI Express Base Specification 5.0, sections 2.2 and
// 4.2.2).
constexpr double kPacketData = 256.0 / (4 + 16 + 256 + 4);

std::int64_t megabytes(const std::array<ByCapability, 8>& table, int compute_capability) {
  for (const ByCapability& row : table)
    if (compute_capability >= row.from) return row.megabytes_per_second;
  return table.back().megabytes_per_second;
}

std::int64_t gigabytes(const std::array<ByModel, 4>& table, int model) {
  for (const ByModel& row : table)
    if (model >= row.from) return row.gigabytes_per_second;
  return table.back().gigabytes_per_second;
}

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
  // PCI Express Base Specification 6.0, section 4.2: encoding 8b/10b, 128b/130b, or 1b/1b with
  // FLITs.
  const double code = *rate < 8 ? 8.0 / 10 : (*rate < 64 ? 128.0 / 130 : 1.0);
  return Bandwidth::from_gigabytes_per_second(*rate * function.link_width * code / 8);
}

Bandwidth pcie_payload_rate(const PcieSpec& function) {
  if (function.bandwidth) return *function.bandwidth;
  PcieSpec known = function;
  if (!pcie_transfer_rate(known.link_speed)) known.link_speed = "8.0 GT/s PCIe";
  if (known.link_width <= 0) known.link_width = kUnknownPcieWidth;
  return Bandwidth::from_gigabytes_per_second(pcie_line_rate(known)->gigabytes_per_second() *
                                              kPacketData);
}

Bandwidth nvlink_bandwidth(int compute_capability) {
  return Bandwidth::bytes_per_second(megabytes(kNvlink, compute_capability) * 1'000'000);
}

Bandwidth nvlink_line_rate(int compute_capability) {
  return Bandwidth::bytes_per_second(megabytes(kNvlinkLine, compute_capability) * 1'000'000);
}

Bandwidth socket_bandwidth(const CpuSpec& cpu) {
  const auto rate = [](std::int64_t n) { return Bandwidth::gigabytes_per_second(n); };
  if (cpu.arch == "arm64") return rate(kArm);
  if (cpu.arch == "ppc64") return rate(kPower9);
  if (cpu.vendor == "AuthenticAMD") return rate(kAmd);
  if (cpu.vendor == "CentaurHauls" || cpu.vendor == "  Shanghai  ") {
    const bool yongfeng = cpu.family == kYongfengFamily && cpu.model == kYongfengModel;
    return rate(yongfeng ? kYongfeng : kZhaoxin);
  }
  return rate(cpu.vendor == "GenuineIntel" ? gigabytes(kIntel, cpu.model) : kLocal);
}

Bandwidth socket_line_rate(const CpuSpec& cpu) {
  const auto rate = [](std::int64_t n) { return Bandwidth::gigabytes_per_second(n); };
  if (cpu.arch == "ppc64") return rate(kXbus);
  if (cpu.arch == "arm64") return socket_bandwidth(cpu);
  if (cpu.vendor == "AuthenticAMD") {
    const bool second =
        cpu.family <= kZen2Family || (cpu.family == kZen3Family && cpu.model < kGenoaModel);
    return rate(second ? kXgmi2 : kXgmi3);
  }
  if (cpu.vendor == "GenuineIntel") return rate(gigabytes(kIntelLine, cpu.model));
  return socket_bandwidth(cpu);
}

Bandwidth virtual_nic_bandwidth() { return Bandwidth::gigabytes_per_second(kLocal); }

}  // namespace railyard::topology
