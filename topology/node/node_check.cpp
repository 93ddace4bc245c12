#include "topology/node/node_check.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

namespace railyard::topology {
namespace {

class NodeCheck {
 public:
  explicit NodeCheck(const NodeSpec& spec) : spec_(spec) {}

  std::vector<NodeProblem> run() && {
    for (std::size_t cpu = 0; cpu < spec_.cpus.size(); ++cpu)
      check_functions(spec_.cpus[cpu].pcie, fmt::format("/cpus/{}/pcie", cpu));
    if (gpus_.empty()) add("/cpus", "the node has no GPU", "add a PCIe function of kind gpu");
    check_nvlinks();
    check_c2c();
    check_sockets();
    return std::move(problems_);
  }

 private:
  void add(std::string pointer, std::string message, std::string hint = {}) {
    problems_.push_back({std::move(pointer), std::move(message), std::move(hint)});
  }

  void check_functions(const std::vector<PcieSpec>& functions, const std::string& pointer) {
    for (std::size_t i = 0; i < functions.size(); ++i)
      check_function(functions[i], fmt::format("{}/{}", pointer, i));
  }

  void check_function(const PcieSpec& function, const std::string& pointer) {
    if (function.kind != PcieKind::pcie_switch && !function.children.empty())
      add(pointer + "/children", "only a PCIe switch has children");
    if (function.kind != PcieKind::nic && !function.nets.empty())
      add(pointer + "/nets", "only a PCIe function of kind nic has nets");
    if (function.kind != PcieKind::gpu && function.gpu)
      add(pointer + "/gpu", "only a gpu has a GPU number");
    switch (function.kind) {
      case PcieKind::gpu: check_gpu(function, pointer); break;
      case PcieKind::nic: check_nic(function, pointer); break;
      case PcieKind::pcie_switch: check_functions(function.children, pointer + "/children"); break;
    }
  }

  void check_gpu(const PcieSpec& function, const std::string& pointer) {
    if (!function.gpu) {
      add(pointer + "/gpu", "a gpu needs its number in the node");
    } else if (!gpus_.insert(*function.gpu).second) {
      add(pointer + "/gpu", fmt::format("GPU {} is listed twice", *function.gpu));
    }
  }

  void check_nic(const PcieSpec& function, const std::string& pointer) {
    if (function.nets.empty()) add(pointer + "/nets", "a nic needs a net for each of its ports");
    for (std::size_t i = 0; i < function.nets.size(); ++i) {
      const std::string net = fmt::format("{}/nets/{}", pointer, i);
      if (!nets_.insert(function.nets[i].dev).second)
        add(net + "/dev", fmt::format("net {} is listed twice", function.nets[i].dev));
      if (function.nets[i].rail.value_or(0) < 0) add(net + "/rail", "must not be negative");
      if (function.nets[i].bandwidth <= Bandwidth())
        add(net + "/bandwidth", "must be greater than 0");
    }
  }

  void check_nvlinks() {
    for (std::size_t i = 0; i < spec_.nvlinks.size(); ++i) {
      const NvlinkSpec& link = spec_.nvlinks[i];
      const std::string pointer = fmt::format("/nvlinks/{}", i);
      check_has_gpu(link.gpu, pointer + "/gpu");
      if (link.peer) check_has_gpu(*link.peer, pointer + "/peer");
      if (link.peer == link.gpu) add(pointer + "/peer", "a GPU has no NVLink to itself");
      if (link.count < 1) add(pointer + "/count", "must be at least 1");
    }
    if (!spec_.nvlinks.empty() && spec_.gpu.nvlink_bandwidth <= Bandwidth())
      add("/gpu", fmt::format("GPU '{}' has no nvlink_bandwidth, but the node has NVLinks",
                              spec_.gpu.name));
  }

  void check_c2c() {
    for (std::size_t i = 0; i < spec_.c2c.size(); ++i) {
      const C2cSpec& c2c = spec_.c2c[i];
      check_has_gpu(c2c.gpu, fmt::format("/c2c/{}/gpu", i));
      bool found = false;
      for (const CpuSpec& cpu : spec_.cpus) found = found || cpu.numa == c2c.numa;
      if (!found) add(fmt::format("/c2c/{}/numa", i), fmt::format("there is no CPU {}", c2c.numa));
      if (c2c.bandwidth <= Bandwidth())
        add(fmt::format("/c2c/{}/bandwidth", i), "must be greater than 0");
    }
  }

  void check_sockets() {
    std::set<int> numas;
    std::map<std::string, int> cpus_of_host;
    for (std::size_t i = 0; i < spec_.cpus.size(); ++i) {
      const CpuSpec& cpu = spec_.cpus[i];
      if (!numas.insert(cpu.numa).second && spec_.hosts == 1)
        add(fmt::format("/cpus/{}/numa", i),
            fmt::format("NUMA domain {} is listed twice", cpu.numa));
      const bool is_unknown = cpu.arch == "x86_64" && cpu.vendor.empty();
      if (++cpus_of_host[cpu.host_hash] > 1 && is_unknown && !spec_.socket_bandwidth)
        add(fmt::format("/cpus/{}/vendor", i), "the bandwidth to the other CPU is unknown",
            "give vendor, family and model, or the node's socket_bandwidth");
    }
  }

  void check_has_gpu(int gpu, const std::string& pointer) {
    if (!gpus_.contains(gpu)) add(pointer, fmt::format("there is no GPU {}", gpu));
  }

  const NodeSpec& spec_;
  std::vector<NodeProblem> problems_;
  std::set<int> gpus_;
  std::set<int> nets_;
};

}  // namespace

std::vector<NodeProblem> check_node(const NodeSpec& spec) { return NodeCheck(spec).run(); }

}  // namespace railyard::topology
