#include "topology/formats/nvidia_smi.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "core/diagnostic.hpp"
#include "core/disjoint_sets.hpp"
#include "topology/cluster/link_bandwidths.hpp"
#include "topology/formats/smi_matrix.hpp"
#include "topology/node/known_devices.hpp"

namespace railyard::topology {
namespace {

/// The surroundings of a GPU generation: its PCIe speed and Intel's server CPU of that time.
struct Generation {
  int from;  ///< compute capability and above
  const char* link_speed;
  double gigatransfers;
  int cpu_model;  ///< of Intel's family 6: Skylake, Ice Lake, Sapphire Rapids
};
// PCIe of V100, A100 and H100 (NVIDIA's data sheets); CPUs with the same PCIe generation (Intel
// ARK).
constexpr Generation kGenerations[] = {{90, "32.0 GT/s PCIe", 32.0, 143},
                                       {80, "16.0 GT/s PCIe", 16.0, 106},
                                       {0, "8.0 GT/s PCIe", 8.0, 85}};
// The largest number of NVLinks of a GPU (H100, B200; NVIDIA's architecture white papers).
constexpr int kMostNvlinks = 18;

class NodeBuilder {
 public:
  NodeBuilder(std::vector<SmiDevice> devices, const std::string& file, const GpuSpec& gpu)
      : devices_(std::move(devices)),
        file_(file),
        count_(devices_.size()),
        below_switch_(count_),
        below_root_(count_),
        below_cpu_(count_) {
    for (const Generation& generation : kGenerations)
      if (gpu.compute_capability >= generation.from) {
        generation_ = &generation;
        break;
      }
    out_.node.gpu = gpu;
  }

  ImportedNode build() && {
    group();
    check();
    build_cpus();
    build_nvlinks();
    out_.node.name = std::filesystem::path(file_).stem().string();
    out_.node.source = "nvidia-smi topo -m";
    note();
    return std::move(out_);
  }

 private:
  /// Groups the devices: PIX shares a switch, PXB a root port, PHB and NODE a CPU. For GPUs of
  /// which the matrix only shows NVLinks, the NUMA affinity determines the CPU.
  void group() {
    for (std::size_t a = 0; a < count_; ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        const SmiRelation relation = devices_[a].relations[b];
        if (relation == SmiRelation::nvlink || relation == SmiRelation::sys) continue;
        below_cpu_.join(a, b);
        if (relation <= SmiRelation::pxb) below_root_.join(a, b);
        if (relation == SmiRelation::pix) below_switch_.join(a, b);
      }
    }
    std::map<int, std::size_t> home;
    for (const bool hidden : {false, true}) {
      for (std::size_t i = 0; i < count_; ++i) {
        if (!devices_[i].numa || hides_pcie(i) != hidden) continue;
        const auto [at, added] = home.try_emplace(*devices_[i].numa, i);
        if (hidden && !added) below_cpu_.join(at->second, i);
      }
    }
  }

  bool hides_pcie(std::size_t i) const {
    return std::ranges::all_of(devices_[i].relations, [](SmiRelation relation) {
      return relation == SmiRelation::self || relation == SmiRelation::nvlink;
    });
  }

  void check() const {
    for (std::size_t a = 0; a < count_; ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        const SmiRelation relation = devices_[a].relations[b];
        if (relation == SmiRelation::nvlink) continue;
        SmiRelation is = SmiRelation::sys;
        if (below_cpu_.find(a) == below_cpu_.find(b)) is = SmiRelation::node;
        if (below_root_.find(a) == below_root_.find(b)) is = SmiRelation::pxb;
        if (below_switch_.find(a) == below_switch_.find(b)) is = SmiRelation::pix;
        if (is == (relation == SmiRelation::phb ? SmiRelation::node : relation)) continue;
        throw InputError(file_, "",
                         fmt::format("no PCIe tree has these relations: {} and "
                                     "{} are nearer by way of other devices",
                                     devices_[b].name, devices_[a].name),
                         "is an entry mistyped?");
      }
    }
  }

  void build_cpus() {
    std::map<std::size_t, std::vector<std::size_t>> members;
    for (std::size_t i = 0; i < count_; ++i) members[below_cpu_.find(i)].push_back(i);
    std::set<int> taken;
    std::vector<std::optional<int>> numbers;
    for (const auto& [root, ids] : members) {
      std::optional<int> numa;
      for (const std::size_t i : ids)
        if (!numa) numa = devices_[i].numa;
      if (numa && !taken.insert(*numa).second) numa.reset();
      numbers.push_back(numa);
    }
    int next = 0;
    std::size_t at = 0;
    for (const auto& [root, ids] : members) {
      std::optional<int>& numa = numbers[at++];
      if (!numa) {
        while (taken.contains(next)) ++next;
        numa = next;
        taken.insert(next);
      }
      CpuSpec cpu;
      cpu.numa = *numa;
      cpu.vendor = "GenuineIntel";
      cpu.family = 6;
      cpu.model = generation_->cpu_model;
      cpu.pcie = functions(ids, below_root_, [&](const std::vector<std::size_t>& below) {
        return functions(below, below_switch_,
                         [](const std::vector<std::size_t>&) { return std::vector<PcieSpec>(); });
      });
      out_.node.cpus.push_back(std::move(cpu));
    }
    std::ranges::sort(out_.node.cpus, {}, &CpuSpec::numa);
  }

  /// The PCIe functions of a group of devices: one device of a set is placed directly, several
  /// below a switch, whose content `inside` makes.
  template <class Inside>
  std::vector<PcieSpec> functions(const std::vector<std::size_t>& ids,
                                  const core::DisjointSets& sets, const Inside& inside) {
    std::map<std::size_t, std::vector<std::size_t>> groups;
    for (const std::size_t i : ids) groups[sets.find(i)].push_back(i);
    std::vector<PcieSpec> made;
    for (const auto& [root, below] : groups) {
      if (below.size() == 1) {
        made.push_back(leaf(below.front()));
        continue;
      }
      PcieSpec node = function(PcieKind::pcie_switch);
      node.children = inside(below);
      if (node.children.empty())
        for (const std::size_t i : below) node.children.push_back(leaf(i));
      // All devices are below one inner switch: an outer switch would be a level that is not in the
      // matrix.
      if (node.children.size() == 1 && node.children.front().kind == PcieKind::pcie_switch)
        node = std::move(node.children.front());
      made.push_back(std::move(node));
    }
    return made;
  }

  PcieSpec function(PcieKind kind) {
    PcieSpec made;
    made.kind = kind;
    const int number = next_busid_++;
    made.busid = fmt::format("{:04x}:{:02x}:00.0", number / 256, number % 256);
    made.link_speed = generation_->link_speed;
    return made;
  }

  PcieSpec leaf(std::size_t i) {
    const SmiDevice& device = devices_[i];
    PcieSpec made = function(device.is_gpu ? PcieKind::gpu : PcieKind::nic);
    if (device.is_gpu) {
      made.gpu = device.number;
      if (const KnownGpu* known = known_gpu(out_.node.gpu.name)) {
        made.vendor = "0x10de";
        made.device = fmt::format("{:#06x}", known->device);
      }
      return made;
    }
    const auto nics_before =
        std::ranges::count(devices_.begin(), devices_.begin() + static_cast<std::ptrdiff_t>(i),
                           false, &SmiDevice::is_gpu);
    NetSpec net;
    net.name = device.title;
    net.dev = static_cast<int>(nics_before);
    net.bandwidth = usual_nic_rate(generation_->gigatransfers, made.link_width);
    made.nets.push_back(std::move(net));
    return made;
  }

  /// Builds the NVLinks. In a node with NVSwitches, NV# is the total number of NVLinks of a GPU;
  /// otherwise it is the number of links to that peer.
  void build_nvlinks() {
    const KnownGpu* known = known_gpu(out_.node.gpu.name);
    const int most = known && known->nvlinks > 0 ? known->nvlinks : kMostNvlinks;
    std::vector<NvlinkSpec> to_switches, to_peers;
    bool equal = true, too_many = false;
    int common = 0;
    for (const SmiDevice& device : devices_) {
      if (!device.is_gpu) continue;
      int sum = 0;
      for (std::size_t b = 0; b < count_; ++b) {
        if (!devices_[b].is_gpu || &devices_[b] == &device) continue;
        const int links = device.nvlinks[b];
        if (common == 0) common = links;
        equal = equal && links > 0 && links == common;
        sum += links;
        if (links > 0) to_peers.push_back({device.number, devices_[b].number, links});
      }
      too_many = too_many || sum > most;
      to_switches.push_back({device.number, {}, common});
    }
    if (too_many && !equal)
      throw InputError(file_, "",
                       fmt::format("more NVLinks than the {} of {}, yet not "
                                   "the same number between all GPUs",
                                   most, out_.node.gpu.name),
                       "name the GPUs' type");
    out_.node.nvlinks = too_many ? std::move(to_switches) : std::move(to_peers);
    if (!out_.node.nvlinks.empty() && out_.node.gpu.nvlink_bandwidth == Bandwidth())
      throw InputError(file_, "", fmt::format("has NVLinks, but {} has none", out_.node.gpu.name),
                       "name the GPUs' type");
    if (too_many)
      out_.notes.push_back(
          fmt::format("{} NVLinks between all GPUs: they lead to NVSwitches", common));
  }

  void note() {
    out_.notes.push_back(
        fmt::format("nvidia-smi gives no speeds: PCIe {} x16 "
                    "and Intel CPUs of that time are assumed",
                    generation_->link_speed));
    const auto nics = std::ranges::count(devices_, false, &SmiDevice::is_gpu);
    if (nics > 0)
      out_.notes.push_back(
          fmt::format("NICs, each taken for {}: {}",
                      core::to_text(usual_nic_rate(generation_->gigatransfers, 16)), nics));
  }

  std::vector<SmiDevice> devices_;
  const std::string& file_;
  std::size_t count_;
  /// Devices of the matrix below one PCIe switch, one root and one CPU.
  core::DisjointSets below_switch_, below_root_, below_cpu_;
  const Generation* generation_ = nullptr;
  ImportedNode out_;
  int next_busid_ = 1;
};

}  // namespace

ImportedNode read_nvidia_smi(std::string_view text, const std::string& file, const GpuSpec& gpu) {
  return NodeBuilder(read_smi_matrix(text, file), file, gpu).build();
}

}  // namespace railyard::topology
