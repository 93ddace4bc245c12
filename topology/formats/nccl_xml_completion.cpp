#include "topology/formats/nccl_xml_completion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "topology/cluster/link_bandwidths.hpp"
#include "topology/node/known_devices.hpp"

namespace railyard::topology {
namespace {

// Intel servers before Ice Lake (family 6, model 106) have PCIe Gen3 (Intel ARK), even if a
// hypervisor reports another link speed.
constexpr int kFirstIntelGen4Model = 106;
constexpr double kGen3 = 8.0;

/// RCCL's bandwidth of one xGMI link: ROCm/rccl src/graph/topo.h, ncclTopoXGMISpeed.
Bandwidth xgmi_bandwidth(std::string_view gcn) {
  int gigabytes = 24;
  if (gcn.starts_with("gfx90a")) gigabytes = 36;
  if (gcn.starts_with("gfx94") || gcn.starts_with("gfx95")) gigabytes = 48;
  return Bandwidth::gigabytes_per_second(gigabytes);
}

class Completion {
 public:
  Completion(XmlNode& xml, const XmlDocument& document, Diagnostics& problems,
             std::vector<std::string>& notes)
      : xml_(xml),
        document_(document),
        problems_(problems),
        notes_(notes),
        attributes_(document, problems) {
    for_each_function_of(xml_.node, [this](PcieSpec& function) {
      if (function.kind == PcieKind::gpu) gpus_.push_back(&function);
      if (function.kind == PcieKind::nic) nics_.push_back(&function);
    });
  }

  void run(std::string_view gpu) && {
    std::vector<int> numbers = gpu_numbers();
    for (std::size_t i = 0; i < gpus_.size(); ++i) gpus_[i]->gpu = numbers[i];
    number_nets();
    find_gpu_type(gpu);
    for (PcieSpec* nic : nics_) complete_nic(*nic);
    if (guessed_nics_ > 0)
      notes_.push_back(
          fmt::format("NICs without a rate in the file; their rate is assumed from the PCI id or "
                      "the PCIe link: {}",
                      guessed_nics_));
  }

 private:
  /// The number of each GPU. If every GPU has a `dev`, it is used; in a domain of several hosts the
  /// numbers of each host follow those of the previous host. Otherwise GPUs are numbered by bus id,
  /// as NVML does.
  std::vector<int> gpu_numbers() {
    std::vector<std::pair<int, int>> host_dev;
    bool all = true;
    for (const XmlGpu& gpu : xml_.gpus) {
      const auto dev = attributes_.integer(gpu.element, "dev");
      all = all && dev;
      host_dev.emplace_back(gpu.host, dev.value_or(0));
      if (dev && *dev < 0) problems_.add(document_.where(gpu.element), "dev is negative");
    }
    if (!all)
      return by_bus_id(xml_.gpus.size(), [this](std::size_t i) {
        return std::pair(xml_.gpus[i].host, xml_.gpus[i].busid);
      });
    for (std::size_t i = 0; i < host_dev.size(); ++i) {
      const auto first = std::ranges::find(host_dev, host_dev[i]) - host_dev.begin();
      if (static_cast<std::size_t>(first) == i) continue;
      problems_.add(
          document_.where(xml_.gpus[i].element),
          fmt::format("GPU {} (dev) appears already in line {}", host_dev[i].second,
                      document_[xml_.gpus[static_cast<std::size_t>(first)].element].line));
    }
    if (xml_.node.hosts > 1)
      return by_bus_id(host_dev.size(), [&](std::size_t i) { return host_dev[i]; });
    std::vector<int> numbers;
    numbers.reserve(host_dev.size());
    for (const auto& [host, dev] : host_dev) numbers.push_back(dev);
    return numbers;
  }

  /// Numbers from 0 in the order of key(i).
  template <class Key>
  static std::vector<int> by_bus_id(std::size_t count, const Key& key) {
    std::vector<std::size_t> order(count);
    for (std::size_t i = 0; i < count; ++i) order[i] = i;
    std::ranges::stable_sort(order, {}, key);
    std::vector<int> numbers(count);
    for (std::size_t i = 0; i < count; ++i) numbers[order[i]] = static_cast<int>(i);
    return numbers;
  }

  void number_nets() {
    struct Entry {
      int host;
      PcieSpec* nic;
      NetSpec* net;
    };
    std::vector<Entry> entries;
    for (std::size_t cpu = 0; cpu < xml_.node.cpus.size(); ++cpu)
      for_each_function(xml_.node.cpus[cpu].pcie, [&](PcieSpec& nic) {
        for (NetSpec& net : nic.nets) entries.push_back({xml_.host_of_cpu[cpu], &nic, &net});
      });
    const bool unnumbered = xml_.nics_by_class || std::ranges::any_of(entries, [](const Entry& e) {
                              return e.net->dev < 0;
                            });
    if (!unnumbered && xml_.node.hosts == 1) return;
    const std::vector<int> numbers = by_bus_id(entries.size(), [&](std::size_t i) {
      const Entry& entry = entries[i];
      return std::tuple(entry.host, unnumbered ? 0 : entry.net->dev,
                        unnumbered ? entry.nic->busid : std::string());
    });
    for (std::size_t i = 0; i < entries.size(); ++i) entries[i].net->dev = numbers[i];
  }

  void find_gpu_type(std::string_view wanted) {
    if (xml_.gpus.empty()) return;
    const XmlGpu& first = xml_.gpus.front();
    if (document_[first.element].attribute("gcn") || gpus_.front()->vendor == "0x1002")
      return find_amd_type();
    const std::optional<int> sm = common_capability();
    const KnownGpu* known = wanted.empty() ? known_gpu(gpus_.front()->vendor, gpus_.front()->device)
                                           : known_gpu(wanted);
    if (!wanted.empty() && !known)
      problems_.add("", fmt::format("GPU type '{}' is not known", wanted),
                    "such as a100_sxm_80, h100_sxm, b200");
    if (!known && !sm) known = guess_gpu();
    if (!known && !sm) return;
    if (known && sm && known->compute_capability != *sm) {
      notes_.push_back(
          fmt::format("the PCI id belongs to {}, but sm to {}; sm is used", known->name, *sm));
      known = nullptr;
    }
    GpuSpec& gpu = xml_.node.gpu;
    gpu.compute_capability = sm.value_or(known ? known->compute_capability : 0);
    gpu.name = known ? std::string(known->name) : fmt::format("sm{}", gpu.compute_capability);
    gpu.nvlink_bandwidth = nvlink_bandwidth(gpu.compute_capability);
    if (!sm) complete_gpus(*known);
    if (xml_.gpus_by_class && known) add_board_links(*known);
  }

  /// RCCL's old architecture numbers: 910 is gfx90a, 940 a pre-series gfx942.
  void find_amd_type() {
    std::string gcn = attributes_.text(xml_.gpus.front().element, "gcn");
    if (gcn.empty()) {
      problems_.add(document_.where(xml_.gpus.front().element),
                    "an AMD GPU without gcn: its xGMI rate is unknown",
                    "RCCL's NCCL_TOPO_DUMP_FILE writes it");
      return;
    }
    if (gcn == "910") gcn = "90a";
    if (!gcn.starts_with("gfx")) gcn = "gfx" + gcn;
    if (gcn.size() > 16) gcn.resize(16);
    xml_.node.gpu.name = gcn;
    xml_.node.gpu.nvlink_bandwidth = xgmi_bandwidth(gcn);
    notes_.push_back(
        fmt::format("AMD {} with xGMI: choices and times are those of NCCL on NVIDIA GPUs", gcn));
  }

  /// The compute capability (sm) of the GPUs if the file contains it. Adds a problem if GPUs
  /// differ.
  std::optional<int> common_capability() {
    std::optional<int> common;
    for (const XmlGpu& gpu : xml_.gpus) {
      const auto sm = attributes_.integer(gpu.element, "sm");
      if (!sm) continue;
      if (*sm <= 0 || *sm > 1000)
        problems_.add(document_.where(gpu.element),
                      fmt::format("sm={} is not a compute capability", *sm),
                      "such as 90 of an H100");
      if (common && *common != *sm)
        problems_.add(document_.where(gpu.element),
                      fmt::format("the node has GPUs of sm {} and of sm {}", *sm, *common),
                      "only nodes with one type of GPU are supported");
      if (!common) common = sm;
    }
    return common;
  }

  const KnownGpu* guess_gpu() {
    std::optional<double> rate = pcie_transfer_rate(gpus_.front()->link_speed);
    if (!rate) {
      problems_.add(
          document_.where(xml_.gpus.front().pci),
          "the file does not contain the type of the GPUs (no sm, no known PCI id, no link_speed)",
          "convert the file with 'railyard topo import --gpu h100_sxm'");
      return nullptr;
    }
    const CpuSpec& cpu = xml_.node.cpus[xml_.gpus.front().cpu];
    rate = host_limit(cpu, *rate);
    const KnownGpu& gpu = usual_gpu(*rate);
    notes_.push_back(
        fmt::format("assumed: GPUs of type {}, as usual on PCIe of {} GT/s, because the file does "
                    "not contain their type; correct it with 'railyard topo import --gpu NAME'",
                    gpu.name, *rate));
    return &gpu;
  }

  static double host_limit(const CpuSpec& cpu, double rate) {
    const bool old = cpu.vendor == "GenuineIntel" && cpu.family == 6 && cpu.model > 0 &&
                     cpu.model < kFirstIntelGen4Model;
    return old ? std::min(rate, kGen3) : rate;
  }

  void complete_gpus(const KnownGpu& known) {
    for (PcieSpec* gpu : gpus_) {
      if (!gpu->device.empty()) continue;
      gpu->vendor = "0x10de";
      gpu->device = fmt::format("{:#06x}", known.device);
    }
    notes_.push_back(
        fmt::format("assumed: GPUs of type {}, because they are known by their PCI class only: {}",
                    known.name, gpus_.size()));
  }

  /// Adds the NVLinks of the boards on which the GPU is sold, if the file lists none.
  void add_board_links(const KnownGpu& known) {
    const int count = static_cast<int>(gpus_.size());
    if (known.nvlinks == 0 || count == 1) return;
    std::vector<int> numbers;
    for (const PcieSpec* gpu : gpus_) numbers.push_back(*gpu->gpu);
    std::ranges::sort(numbers);
    if (known.switched_gpus > 0 && count >= known.switched_gpus) {
      for (const int gpu : numbers) xml_.node.nvlinks.push_back({gpu, {}, known.nvlinks});
      notes_.push_back(
          fmt::format("assumed: {} NVLinks per GPU to the NVSwitches, as on boards of {} {}, "
                      "because the file does not list NVLinks",
                      known.nvlinks, count, known.name));
    } else if (count <= known.meshed_gpus) {
      const int each = known.nvlinks / (known.meshed_gpus - 1);
      for (const int from : numbers)
        for (const int to : numbers)
          if (from != to) xml_.node.nvlinks.push_back({from, to, each});
      notes_.push_back(
          fmt::format("assumed: {} NVLinks between each two GPUs, as on boards of {} {}, because "
                      "the file does not list NVLinks",
                      each, known.meshed_gpus, known.name));
    } else {
      notes_.push_back(
          fmt::format("assumed: no NVLinks, because the file does not list any and those of {} {} "
                      "are not known; a file of NCCL_TOPO_DUMP_FILE lists them",
                      count, known.name));
    }
  }

  void complete_nic(PcieSpec& nic) {
    for (NetSpec& net : nic.nets) {
      if (net.name.empty()) net.name = fmt::format("nic{}", net.dev);
      if (net.bandwidth > Bandwidth()) continue;
      ++guessed_nics_;
      net.bandwidth = known_nic_rate(nic.vendor, nic.device);
      if (net.bandwidth > Bandwidth()) continue;
      const double rate = pcie_transfer_rate(nic.link_speed).value_or(kGen3);
      const CpuSpec& cpu = xml_.node.cpus.front();
      net.bandwidth =
          usual_nic_rate(host_limit(cpu, rate), nic.link_width > 0 ? nic.link_width : 16);
    }
  }

  XmlNode& xml_;
  const XmlDocument& document_;
  Diagnostics& problems_;
  std::vector<std::string>& notes_;
  XmlAttributes attributes_;
  std::vector<PcieSpec*> gpus_;  ///< in document order, as XmlNode::gpus
  std::vector<PcieSpec*> nics_;
  int guessed_nics_ = 0;
};

}  // namespace

void complete_xml_node(XmlNode& xml, const XmlDocument& document, std::string_view gpu,
                       Diagnostics& problems, std::vector<std::string>& notes) {
  Completion(xml, document, problems, notes).run(gpu);
}

}  // namespace railyard::topology
