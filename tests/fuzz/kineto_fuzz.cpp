// PyTorch profiles: any text is a workload or an InputError.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <unistd.h>
#include <vector>

#include "collectives/formats/traces/kineto_workload.hpp"
#include "collectives/workload/check_workload.hpp"
#include "core/diagnostic.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace railyard;
  using namespace railyard::collectives;
  static const std::string kFile = (std::filesystem::temp_directory_path() /
                                    ("kineto_fuzz." + std::to_string(getpid()) + ".json"))
                                       .string();
  std::FILE* file = std::fopen(kFile.c_str(), "wb");
  if (file == nullptr) std::abort();
  std::fwrite(data, 1, size, file);
  std::fclose(file);
  TraceImport import;
  import.world = 4;
  try {
    (void)check_workload(workload_of_kineto(std::vector{kFile}, import).workload);
  } catch (const InputError&) {
  }
  std::remove(kFile.c_str());
  return 0;
}
