#include "topology/formats/nccl_xml_writer.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>

#include "topology/cluster/link_bandwidths.hpp"
#include "topology/formats/nccl_xml_elements.hpp"

namespace railyard::topology {
namespace {

// PCI class of an NVSwitch (NCCL 2.30.7 src/graph/xml.h, PCI_NVSWITCH_CLASS). Any bus id is valid.
constexpr std::string_view kNvswitch = R"(target="ffff:00:00.0" count="{}" tclass="0x068000")";

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\n': out += "&#10;"; break;
      case '\t': out += "&#9;"; break;
      case '\r': out += "&#13;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string attribute(std::string_view key, std::string_view value) {
  return fmt::format(" {}=\"{}\"", key, escaped(value));
}

class XmlWriter {
 public:
  explicit XmlWriter(const NodeSpec& node) : node_(node), amd_(node.gpu.name.starts_with("gfx")) {
    for_each_function_of(node_, [this](const PcieSpec& function) {
      if (!function.busid.empty()) used_.insert(function.busid);
    });
    // Assigns bus ids first, because an NVLink may refer to a device that is written later.
    for_each_function_of(node_, [this](const PcieSpec& function) {
      busids_[&function] = function.busid.empty() ? free_bus_id() : function.busid;
      if (function.kind == PcieKind::gpu && function.gpu) {
        gpu_busids_[*function.gpu] = busids_[&function];
        ranks_[*function.gpu] = 0;
      }
    });
    int rank = 0;
    for (auto& [gpu, number] : ranks_) number = rank++;
    for (const CpuSpec& cpu : node_.cpus)
      for (const PcieSpec& function : cpu.pcie) note_first_numbers(function, hosts_[cpu.host_hash]);
  }

  std::string write() && {
    line(0, fmt::format("<system version=\"{}\"{}>", amd_ ? 2 : 1, attribute("name", node_.name)));
    for (const CpuSpec& cpu : node_.cpus) write_cpu(cpu);
    line(0, "</system>");
    return std::move(out_);
  }

 private:
  void line(int depth, std::string_view text) {
    out_.append(2 * static_cast<std::size_t>(depth), ' ').append(text).append("\n");
  }

  std::string free_bus_id() {
    // PCI domain 1000 is above the domains of machines (cloud images count domains from 1).
    for (;;) {
      std::string busid = fmt::format("1000:{:02x}:{:02x}.0", next_ / 32 % 256, next_ % 32);
      ++next_;
      if (used_.insert(busid).second || next_ > 8192) return busid;
    }
  }

  /// The smallest numbers of the GPUs and NICs of one host: each host numbers its own from 0.
  struct Host {
    int number = -1;
    int first_gpu = 0, first_net = 0;
    bool has_gpu = false, has_net = false;
  };

  void note_first_numbers(const PcieSpec& function, Host& host) {
    if (host.number < 0) host.number = static_cast<int>(hosts_.size());
    if (node_.hosts == 1) return;
    if (function.gpu) {
      host.first_gpu = host.has_gpu ? std::min(host.first_gpu, *function.gpu) : *function.gpu;
      host.has_gpu = true;
    }
    for (const NetSpec& net : function.nets) {
      host.first_net = host.has_net ? std::min(host.first_net, net.dev) : net.dev;
      host.has_net = true;
    }
    for (const PcieSpec& child : function.children) note_first_numbers(child, host);
  }

  /// The host hash, which NCCL reads as a hexadecimal number. Hosts whose hash is other text are
  /// numbered.
  std::string hash_of(const CpuSpec& cpu) const {
    const bool number =
        cpu.host_hash.starts_with("0x") &&
        cpu.host_hash.find_first_not_of("0123456789abcdefABCDEF", 2) == std::string::npos;
    return number ? cpu.host_hash : fmt::format("{:#x}", hosts_.at(cpu.host_hash).number);
  }

  void write_cpu(const CpuSpec& cpu) {
    host_ = hosts_[cpu.host_hash];
    std::string tag = "<cpu";
    if (!cpu.host_hash.empty()) tag += attribute("host_hash", hash_of(cpu));
    tag += fmt::format(" numaid=\"{}\"", cpu.numa);
    if (!cpu.affinity.empty()) tag += attribute("affinity", cpu.affinity);
    tag += attribute("arch", cpu.arch);
    if (!cpu.vendor.empty()) tag += attribute("vendor", cpu.vendor);
    tag += fmt::format(" familyid=\"{}\" modelid=\"{}\"", cpu.family, cpu.model);
    line(1, tag + ">");
    for (const PcieSpec& function : cpu.pcie) write_function(function, 2, true);
    line(1, "</cpu>");
  }

  void write_function(const PcieSpec& function, int depth, bool below_cpu) {
    const bool is_virtual = below_cpu && function.kind == PcieKind::nic && function.busid.empty() &&
                            function.bandwidth == virtual_nic_bandwidth();
    if (is_virtual) return write_nic(function, depth);
    line(depth, pci_tag(function));
    if (function.kind == PcieKind::gpu) write_gpu(function, depth + 1);
    if (function.kind == PcieKind::nic) write_nic(function, depth + 1);
    for (const PcieSpec& child : function.children) write_function(child, depth + 1, false);
    line(depth, "</pci>");
  }

  std::string pci_tag(const PcieSpec& function) {
    constexpr std::string_view kClasses[] = {"0x060400", "0x030200", "0x020000"};
    std::string tag = "<pci" + attribute("busid", busids_[&function]);
    tag +=
        attribute("class", function.class_code.empty() ? kClasses[static_cast<int>(function.kind)]
                                                       : function.class_code);
    const auto optional = [&tag](std::string_view key, const std::string& value) {
      if (!value.empty()) tag += attribute(key, value);
    };
    optional("vendor", function.vendor);
    optional("device", function.device);
    optional("subsystem_vendor", function.subsystem_vendor);
    optional("subsystem_device", function.subsystem_device);
    const auto [speed, width] = link_of(function);
    return tag + attribute("link_speed", speed) + fmt::format(" link_width=\"{}\">", width);
  }

  /// NCCL's format has no bandwidth of PCIe links. If a bandwidth is set, the speed and width that
  /// are closest to it are written.
  static std::pair<std::string, int> link_of(const PcieSpec& function) {
    std::pair<std::string, int> best{function.link_speed, function.link_width};
    if (!function.bandwidth) return best;
    const auto distance = [&function](const std::string& speed, int width) {
      return std::abs(pcie_bandwidth(speed, width).gigabytes_per_second() -
                      function.bandwidth->gigabytes_per_second());
    };
    for (const std::string speed : {"2.5", "5.0", "8.0", "16.0", "32.0", "64.0"})
      for (const int width : {16, 8, 4, 2, 1})
        if (distance(speed + " GT/s PCIe", width) < distance(best.first, best.second))
          best = {speed + " GT/s PCIe", width};
    return best;
  }

  void write_gpu(const PcieSpec& function, int depth) {
    const int gpu = function.gpu.value_or(0);
    std::string tag = fmt::format("<gpu dev=\"{}\"", gpu - host_.first_gpu);
    if (amd_) tag += attribute("gcn", node_.gpu.name);
    if (!amd_ && node_.gpu.compute_capability > 0)
      tag += fmt::format(" sm=\"{}\"", node_.gpu.compute_capability);
    tag += fmt::format(" rank=\"{}\" gdr=\"{}\"", ranks_[gpu], function.gpu_direct ? 1 : 0);
    line(depth, tag + ">");
    for (const NvlinkSpec& link : node_.nvlinks)
      if (link.gpu == gpu) write_nvlink(link.peer, link.count, depth + 1);
    for (const NvlinkSpec& link : node_.nvlinks)
      if (link.peer == gpu && !listed(gpu, link.gpu)) write_nvlink(link.gpu, link.count, depth + 1);
    for (const C2cSpec& c2c : node_.c2c) {
      if (c2c.gpu != gpu) continue;
      line(depth + 1, fmt::format("<c2c bw=\"{}\" count=\"1\"/>",
                                  c2c.bandwidth.bits_per_second() / 8'000'000));
    }
    line(depth, "</gpu>");
  }

  bool listed(int gpu, int peer) const {
    for (const NvlinkSpec& link : node_.nvlinks)
      if (link.gpu == gpu && link.peer == peer) return true;
    return false;
  }

  void write_nvlink(std::optional<int> peer, int count, int depth) {
    const std::string_view tag = amd_ ? "xgmi" : "nvlink";
    const std::string target =
        peer ? fmt::format(R"(target="{}" count="{}" tclass="{}")", gpu_busids_[*peer], count,
                           amd_ ? "0x038000" : "0x030200")
             : fmt::format(fmt::runtime(kNvswitch), count);
    line(depth, fmt::format("<{} {}/>", tag, target));
  }

  void write_nic(const PcieSpec& function, int depth) {
    line(depth, "<nic>");
    for (const NetSpec& net : function.nets) {
      std::string tag = "<net" + attribute("name", net.name);
      tag += fmt::format(R"( dev="{}" speed="{}" port="{}" latency="{:.6f}")",
                         net.dev - host_.first_net, net.bandwidth.bits_per_second() / 1'000'000,
                         net.port, net.latency.microseconds());
      if (!net.guid.empty()) tag += attribute("guid", net.guid);
      tag += fmt::format(R"( maxconn="{}" gdr="{}" coll="{}")", net.max_connections,
                         net.gpu_direct ? 1 : 0, net.in_network_reduction ? 1 : 0);
      if (net.rail) tag += fmt::format(" rail=\"{}\"", *net.rail);
      if (net.plane) tag += fmt::format(" plane=\"{}\"", *net.plane);
      line(depth + 1, tag + "/>");
    }
    line(depth, "</nic>");
  }

  const NodeSpec& node_;
  bool amd_;
  std::map<std::string, Host> hosts_;  ///< by host_hash
  Host host_;                          ///< of the CPU that is written
  std::string out_;
  std::set<std::string> used_;
  std::map<const PcieSpec*, std::string> busids_;
  std::map<int, std::string> gpu_busids_;
  std::map<int, int> ranks_;
  int next_ = 0;
};

}  // namespace

std::string export_nccl_xml(const NodeSpec& node) { return XmlWriter(node).write(); }

}  // namespace railyard::topology
