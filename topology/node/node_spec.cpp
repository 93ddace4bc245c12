#include "topology/node/node_spec.hpp"

namespace railyard::topology {
namespace {

struct Counts {
  int gpus = 0, nics = 0;
};

void count(const PcieSpec& function, Counts& counts) {
  if (function.kind == PcieKind::gpu) ++counts.gpus;
  if (function.kind == PcieKind::nic) counts.nics += static_cast<int>(function.nets.size());
  for (const PcieSpec& child : function.children) count(child, counts);
}

Counts counts_of(const NodeSpec& spec) {
  Counts counts;
  for (const CpuSpec& cpu : spec.cpus)
    for (const PcieSpec& function : cpu.pcie) count(function, counts);
  return counts;
}

}  // namespace

int NodeSpec::gpu_count() const { return counts_of(*this).gpus; }
int NodeSpec::nic_count() const { return counts_of(*this).nics; }

}  // namespace railyard::topology
