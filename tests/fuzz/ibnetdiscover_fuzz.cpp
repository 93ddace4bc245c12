// ibnetdiscover: any bytes are a fabric or an InputError.
#include <cstdint>

#include "core/diagnostic.hpp"
#include "topology/formats/ibnetdiscover.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace railyard;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  topology::NodeSpec node;
  topology::CpuSpec cpu;
  topology::PcieSpec nic;
  nic.kind = topology::PcieKind::nic;
  nic.nets.resize(1);
  cpu.pcie.push_back(nic);
  node.cpus.push_back(cpu);
  try {
    std::vector<std::string> hosts, notes;
    const topology::IbFabric fabric = topology::read_ibnetdiscover(text, "fuzz");
    (void)topology::cluster_of_ib_fabric(fabric, node, "fuzz", hosts, notes);
  } catch (const InputError&) {
  }
  return 0;
}
