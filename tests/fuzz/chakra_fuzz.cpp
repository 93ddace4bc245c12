// Chakra traces: any bytes are a trace or an InputError; a trace is written and read back to the
// same bytes, and is a workload or an InputError.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "collectives/formats/traces/chakra_workload.hpp"
#include "collectives/workload/check_workload.hpp"
#include "core/diagnostic.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace railyard;
  using namespace railyard::collectives;
  try {
    const ChakraTrace trace = read_chakra({reinterpret_cast<const char*>(data), size}, "fuzz.0.et");
    const std::string bytes = write_chakra(trace);
    if (write_chakra(read_chakra(bytes, "fuzz.0.et")) != bytes) std::abort();
    (void)check_workload(workload_of_chakra({{0, "fuzz.0.et", trace}}, {}).workload);
  } catch (const InputError&) {
  }
  return 0;
}
