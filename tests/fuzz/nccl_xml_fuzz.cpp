// NCCL topology XML: any bytes are a node or an InputError; what was read is written, read back and
// written to the same text.
#include <cstdint>
#include <cstdlib>

#include "core/diagnostic.hpp"
#include "topology/formats/nccl_xml.hpp"
#include "topology/formats/nccl_xml_writer.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace railyard;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::string once;
  try {
    once = topology::export_nccl_xml(topology::import_nccl_xml(text, "fuzz"));
  } catch (const InputError&) {
    return 0;
  }
  // Outside of the try: that an export cannot be read is a fault of ours.
  if (topology::export_nccl_xml(topology::import_nccl_xml(once, "fuzz")) != once) std::abort();
  return 0;
}
