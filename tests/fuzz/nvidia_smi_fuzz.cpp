// nvidia-smi topo -m: any bytes are a node or an InputError; what was read exports as NCCL XML.
#include <cstdint>

#include "core/diagnostic.hpp"
#include "topology/formats/nccl_xml_writer.hpp"
#include "topology/formats/nvidia_smi.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace railyard;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  topology::GpuSpec gpu;
  gpu.name = "A100-SXM4-80GB";
  gpu.compute_capability = 80;
  gpu.nvlink_bandwidth = Bandwidth::gigabytes_per_second(20);
  std::string xml;
  try {
    xml = topology::export_nccl_xml(topology::read_nvidia_smi(text, "fuzz", gpu).node);
  } catch (const InputError&) {
    return 0;
  }
  (void)topology::import_nccl_xml(xml, "fuzz");
  return 0;
}
