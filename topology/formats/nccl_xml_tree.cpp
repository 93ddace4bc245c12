#include "topology/formats/nccl_xml_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "topology/cluster/link_bandwidths.hpp"

namespace railyard::topology {
namespace {

// The largest PCIe link width (PCI Express Base Specification).
constexpr int kMaxLanes = 32;
// NCCL 2.30.7 src/graph/topo.cc, ncclTopoAddNet: the speed in Mb/s if it is missing or not
// positive.
constexpr int kUnknownSpeed = 10'000;
// The fastest NIC port (1.6 Tb/s Ethernet); a larger value is an error in the file.
constexpr int kFastestSpeed = 1'600'000;

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

bool is_bus_id(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789abcdef:.") == std::string_view::npos;
}

class TreeReader {
 public:
  TreeReader(const XmlDocument& document, Diagnostics& problems, std::vector<std::string>& notes)
      : xml_(document), problems_(problems), notes_(notes), attributes_(document, problems) {}

  XmlNode read() && {
    survey();
    for (const std::size_t child : xml_.root().children) {
      if (xml_[child].name == "cpu") {
        read_cpu(child);
      } else if (xml_[child].name == "gpu" || xml_[child].name == "pci" ||
                 xml_[child].name == "nic") {
        problems_.add(
            xml_.where(child),
            fmt::format("a <{}> right below <system> is not NCCL's format", xml_[child].name),
            "NCCL lists devices below a <cpu>; NCCL_TOPO_DUMP_FILE writes a whole topology");
      }
    }
    if (out_.node.cpus.empty() && problems_.empty())
      problems_.add(xml_.where(0), "has no <cpu>", "NCCL_TOPO_DUMP_FILE writes a whole topology");
    number_hosts();
    note_what_was_ignored();
    return std::move(out_);
  }

 private:
  /// Finds out which devices count. NCCL ignores a <gpu> without rank, a <net> without dev, and
  /// physical NICs that it has fused (net="0"). If no GPU has a rank, or no net a dev, the file was
  /// written for NCCL to complete, and all of them count.
  void survey() {
    bool any_gpu = false, any_net = false;
    for (const XmlElement& element : xml_.elements()) {
      if (element.name == "gpu") any_gpu = true;
      if (element.name == "gpu" && element.attribute("rank")) needs_rank_ = true;
      if (element.name != "net") continue;
      any_net = true;
      if (element.attribute("dev")) needs_dev_ = true;
      if (element.attribute("dev") && element.attribute("net") != "0") needs_net_ = true;
    }
    out_.gpus_by_class = !any_gpu;
    out_.nics_by_class = !any_net;
    if (any_gpu && !needs_rank_)
      notes_.push_back("no GPU has a rank: every GPU of the file counts");
    if (any_net && !needs_dev_) notes_.push_back("no net has a number (dev): numbered by bus id");
  }

  void read_cpu(std::size_t element) {
    CpuSpec cpu;
    const auto numa = attributes_.integer(element, "numaid");
    if (!xml_[element].attribute("numaid")) problems_.add(xml_.where(element), "has no numaid");
    cpu.numa = numa.value_or(0);
    cpu.host_hash = attributes_.text(element, "host_hash");
    cpu.affinity = attributes_.text(element, "affinity");
    if (const std::string arch = attributes_.text(element, "arch"); !arch.empty()) cpu.arch = arch;
    cpu.vendor = attributes_.text(element, "vendor");
    cpu.family = attributes_.integer(element, "familyid").value_or(0);
    cpu.model = attributes_.integer(element, "modelid").value_or(0);
    host_ = host_number(cpu.host_hash);
    const bool listed = std::ranges::any_of(
        numas_, [&](const auto& seen) { return seen == std::pair(host_, cpu.numa); });
    if (numa && listed)
      problems_.add(xml_.where(element), fmt::format("NUMA domain {} is listed twice", cpu.numa));
    numas_.emplace_back(host_, cpu.numa);
    for (const std::size_t child : xml_[element].children) {
      if (xml_[child].name == "pci") read_pci(child, cpu.pcie);
      if (xml_[child].name == "nic") read_virtual_nic(child, cpu.pcie);
    }
    out_.host_of_cpu.push_back(host_);
    out_.node.cpus.push_back(std::move(cpu));
  }

  int host_number(const std::string& hash) {
    const auto index = std::ranges::find(hosts_, hash) - hosts_.begin();
    if (index == std::ssize(hosts_)) hosts_.push_back(hash);
    return static_cast<int>(index);
  }

  /// Renumbers NUMA domains: each host of an NVLink domain numbers them from 0, a node
  /// consecutively.
  void number_hosts() {
    out_.node.hosts = std::max(1, static_cast<int>(hosts_.size()));
    std::vector<int> numbers;
    for (const auto& [host, numa] : numas_) numbers.push_back(numa);
    std::ranges::sort(numbers);
    if (out_.node.hosts == 1 || std::ranges::adjacent_find(numbers) == numbers.end()) return;
    int next = 0;
    for (CpuSpec& cpu : out_.node.cpus) cpu.numa = next++;
    notes_.push_back("the NUMA domains of several hosts are numbered through");
  }

  void read_pci(std::size_t element, std::vector<PcieSpec>& siblings) {
    PcieSpec function = read_function(element);
    if (child_of(element, "gpu") || child_of(element, "apu") ||
        is_gpu_by_class(element, function)) {
      read_gpu(element, std::move(function), siblings);
    } else if (const auto nic = child_of(element, "nic")) {
      function.kind = PcieKind::nic;
      read_nets(*nic, function);
      if (!function.nets.empty()) siblings.push_back(std::move(function));
    } else if (is_nic_by_class(element, function)) {
      function.kind = PcieKind::nic;
      function.nets.emplace_back();
      siblings.push_back(std::move(function));
    } else {
      read_switch(element, std::move(function), siblings);
    }
  }

  /// Functions without a GPU or NIC below them are left out, as in NCCL.
  void read_switch(std::size_t element, PcieSpec function, std::vector<PcieSpec>& siblings) {
    function.kind = PcieKind::pcie_switch;
    for (const std::size_t child : xml_[element].children) {
      if (xml_[child].name == "pci") read_pci(child, function.children);
      if (xml_[child].name == "pcilink") ++pcilinks_;
    }
    if (!function.children.empty()) siblings.push_back(std::move(function));
  }

  PcieSpec read_function(std::size_t element) {
    PcieSpec function;
    function.busid = lower(attributes_.text(element, "busid"));
    function.class_code = lower(attributes_.text(element, "class"));
    function.vendor = lower(attributes_.text(element, "vendor"));
    function.device = lower(attributes_.text(element, "device"));
    function.subsystem_vendor = lower(attributes_.text(element, "subsystem_vendor"));
    function.subsystem_device = lower(attributes_.text(element, "subsystem_device"));
    function.link_speed = attributes_.text(element, "link_speed");
    function.link_width = attributes_.integer(element, "link_width").value_or(0);
    if (function.link_width < 0 || function.link_width > kMaxLanes) {
      problems_.add(xml_.where(element), fmt::format("link_width {} is not between 0 and {} lanes",
                                                     function.link_width, kMaxLanes));
    }
    if (!function.link_speed.empty() && !pcie_transfer_rate(function.link_speed)) ++odd_speeds_;
    remember_bus_id(element, function.busid);
    if (function.class_code.empty() && xml_[element].children.empty()) ++without_class_;
    return function;
  }

  void remember_bus_id(std::size_t element, const std::string& busid) {
    if (!is_bus_id(busid)) {
      problems_.add(xml_.where(element),
                    busid.empty()
                        ? "has no busid"
                        : fmt::format("busid=\"{}\" is not a bus id", busid.substr(0, 40)),
                    "such as busid=\"0000:1b:00.0\"");
      return;
    }
    const auto [found, added] = out_.functions.try_emplace({host_, busid}, element);
    if (added) return;
    if (leads_on(element) || leads_on(found->second)) {
      ++repeated_;  // allowed: no link refers to a switch by its bus id
    } else {
      problems_.add(
          xml_.where(element),
          fmt::format("bus id {} is already that of line {}", busid, xml_[found->second].line),
          "each GPU and NIC is listed once");
    }
  }

  bool leads_on(std::size_t element) const { return child_of(element, "pci").has_value(); }

  void read_gpu(std::size_t element, PcieSpec function, std::vector<PcieSpec>& siblings) {
    std::size_t gpus = 0, chosen = element;
    for (const std::size_t child : xml_[element].children) {
      if (xml_[child].name != "gpu" && xml_[child].name != "apu") continue;
      if (needs_rank_ && !xml_[child].attribute("rank")) {
        ++without_rank_;
        continue;
      }
      if (++gpus == 1) chosen = child;
    }
    if (gpus > 1) {
      problems_.add(xml_.where(element), "has several GPUs (MLOPart) in one PCIe function",
                    "Railyard models whole GPUs: dump the topology with partitioning off");
    }
    if (gpus == 0 && !out_.gpus_by_class) return;
    function.kind = PcieKind::gpu;
    function.gpu = static_cast<int>(out_.gpus.size());
    function.gpu_direct = gpus == 0 || attributes_.flag(chosen, "gdr", !needs_rank_);
    out_.gpus.push_back({.element = chosen,
                         .pci = element,
                         .cpu = out_.node.cpus.size(),
                         .host = host_,
                         .busid = function.busid});
    siblings.push_back(std::move(function));
  }

  void read_virtual_nic(std::size_t element, std::vector<PcieSpec>& siblings) {
    PcieSpec function;
    function.kind = PcieKind::nic;
    function.link_width = 0;
    function.bandwidth = virtual_nic_bandwidth();
    read_nets(element, function);
    if (!function.nets.empty()) siblings.push_back(std::move(function));
  }

  void read_nets(std::size_t nic, PcieSpec& function) {
    for (const std::size_t child : xml_[nic].children) {
      if (xml_[child].name != "net") continue;
      if (needs_dev_ && !xml_[child].attribute("dev")) continue;
      if (needs_net_ && xml_[child].attribute("net") == "0") {
        ++fused_;
        continue;
      }
      function.nets.push_back(read_net(child));
    }
  }

  NetSpec read_net(std::size_t element) {
    NetSpec net;
    net.name = attributes_.text(element, "name");
    net.dev = attributes_.integer(element, "dev").value_or(needs_dev_ ? 0 : -1);
    net.bandwidth = net_bandwidth(element);
    net.port = attributes_.integer(element, "port").value_or(1);
    net.guid = attributes_.text(element, "guid");
    net.latency = Time::from_seconds(attributes_.number(element, "latency").value_or(0) / 1e6);
    if (net.latency < Time()) problems_.add(xml_.where(element), "latency is negative");
    net.max_connections = attributes_.integer(element, "maxconn").value_or(net.max_connections);
    net.gpu_direct = attributes_.flag(element, "gdr", !needs_dev_);
    net.in_network_reduction = attributes_.flag(element, "coll", false);
    // NCCL 2.30.7 writes -1 (NCCL_TOPO_UNDEF) if no rail or plane is configured.
    const auto rail = attributes_.integer(element, "rail"),
               plane = attributes_.integer(element, "plane");
    if (rail && *rail >= 0) net.rail = rail;
    if (plane && *plane >= 0) net.plane = plane;
    if (needs_dev_) remember_net(element, net.dev);
    return net;
  }

  /// Zero if the file has no value, in which case NCCL would ask the machine.
  Bandwidth net_bandwidth(std::size_t element) {
    if (!xml_[element].attribute("speed") && !needs_dev_) return {};
    int speed = attributes_.integer(element, "speed").value_or(0);
    if (speed <= 0) {
      speed = kUnknownSpeed;
      notes_.push_back(
          fmt::format("{}: no speed, counted with 10 Gb/s as NCCL does", xml_.where(element)));
    }
    if (speed > kFastestSpeed)
      notes_.push_back(
          fmt::format("{}: speed {} Mb/s is faster than any NIC", xml_.where(element), speed));
    return Bandwidth::megabits_per_second(speed);
  }

  void remember_net(std::size_t element, int dev) {
    const auto [found, added] = nets_.try_emplace({host_, dev}, element);
    if (!added)
      problems_.add(xml_.where(element), fmt::format("net {} is already that of line {}", dev,
                                                     xml_[found->second].line));
  }

  std::optional<std::size_t> child_of(std::size_t element, std::string_view name) const {
    for (const std::size_t child : xml_[element].children)
      if (xml_[child].name == name) return child;
    return {};
  }

  /// Whether a function is a GPU by its PCI class. NCCL compares the beginning of the class: 0x03
  /// is a display controller; RCCL also accepts 0x12 (processing accelerator). A display controller
  /// of another vendor than NVIDIA or AMD is the console of the board.
  bool is_gpu_by_class(std::size_t element, const PcieSpec& function) const {
    const bool gpu =
        function.class_code.starts_with("0x03") || function.class_code.starts_with("0x12");
    const bool known =
        function.vendor.empty() || function.vendor == "0x10de" || function.vendor == "0x1002";
    return out_.gpus_by_class && gpu && known && !child_of(element, "pci");
  }

  bool is_nic_by_class(std::size_t element, const PcieSpec& function) const {
    return out_.nics_by_class && function.class_code.starts_with("0x02") &&
           !child_of(element, "pci");
  }

  void note_what_was_ignored() {
    const auto note = [this](int count, std::string_view what) {
      if (count > 0) notes_.push_back(fmt::format("{}: {}", what, count));
    };
    note(without_rank_, "GPUs without a rank, left out as NCCL does");
    note(fused_, "NICs that NCCL fused into others (net=\"0\"), left out");
    note(pcilinks_, "direct links between PCIe switches (pcilink), left out");
    note(repeated_, "PCIe switches with the bus id of another one");
    note(odd_speeds_, "link_speed that PCIe does not have, counted as Gen3 as NCCL does");
    if (out_.gpus.empty() && problems_.empty()) {
      const bool bare = without_class_ > 0;
      problems_.add(
          xml_.where(0),
          bare ? "has no GPU: its PCIe functions have a bus id but no class" : "has no GPU",
          "NCCL fills such a file in on the machine: run NCCL there with "
          "NCCL_TOPO_DUMP_FILE=node.xml and import that");
    }
  }

  const XmlDocument& xml_;
  Diagnostics& problems_;
  std::vector<std::string>& notes_;
  XmlAttributes attributes_;
  XmlNode out_;
  std::vector<std::string> hosts_;
  std::vector<std::pair<int, int>> numas_;  ///< (host, numaid) by CPU
  std::map<std::pair<int, int>, std::size_t> nets_;
  int host_ = 0;
  bool needs_rank_ = false, needs_dev_ = false, needs_net_ = false;
  int without_rank_ = 0, fused_ = 0, pcilinks_ = 0, odd_speeds_ = 0, without_class_ = 0,
      repeated_ = 0;
};

}  // namespace

XmlNode read_xml_tree(const XmlDocument& document, Diagnostics& problems,
                      std::vector<std::string>& notes) {
  return TreeReader(document, problems, notes).read();
}

}  // namespace railyard::topology
