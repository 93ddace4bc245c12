#include "topology/node/node_copies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace railyard::topology {
namespace {

/// How much numbers increase from one copy to the next.
struct Stride {
  int gpus = 0, nets = 0, numas = 0;
};

void widen(Stride& stride, const PcieSpec& function) {
  if (function.gpu) stride.gpus = std::max(stride.gpus, *function.gpu + 1);
  for (const NetSpec& net : function.nets) stride.nets = std::max(stride.nets, net.dev + 1);
  for (const PcieSpec& child : function.children) widen(stride, child);
}

void count_on(PcieSpec& function, const Stride& stride, int copy) {
  if (function.gpu) *function.gpu += copy * stride.gpus;
  for (NetSpec& net : function.nets) net.dev += copy * stride.nets;
  for (PcieSpec& child : function.children) count_on(child, stride, copy);
}

CpuSpec copy_of(const CpuSpec& cpu, const Stride& stride, int copy) {
  CpuSpec made = cpu;
  made.numa += copy * stride.numas;
  made.host_hash = fmt::format("{}#{}", cpu.host_hash, copy);
  for (PcieSpec& function : made.pcie) count_on(function, stride, copy);
  return made;
}

}  // namespace

void write_out_copies(NodeSpec& spec) {
  if (spec.repeat == 1) return;
  Stride stride;
  for (const CpuSpec& cpu : spec.cpus) {
    stride.numas = std::max(stride.numas, cpu.numa + 1);
    for (const PcieSpec& function : cpu.pcie) widen(stride, function);
  }
  NodeSpec all = spec;
  all.cpus.clear();
  all.nvlinks.clear();
  all.c2c.clear();
  for (int copy = 0; copy < spec.repeat; ++copy) {
    for (const CpuSpec& cpu : spec.cpus) all.cpus.push_back(copy_of(cpu, stride, copy));
    for (NvlinkSpec link : spec.nvlinks) {
      link.gpu += copy * stride.gpus;
      if (link.peer) *link.peer += copy * stride.gpus;
      all.nvlinks.push_back(link);
    }
    for (C2cSpec c2c : spec.c2c) {
      c2c.gpu += copy * stride.gpus;
      c2c.numa += copy * stride.numas;
      all.c2c.push_back(c2c);
    }
  }
  all.hosts = spec.hosts * spec.repeat;
  all.repeat = 1;
  spec = std::move(all);
}

}  // namespace railyard::topology
