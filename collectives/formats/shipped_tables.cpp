#include "collectives/formats/shipped_tables.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "core/config/config_path.hpp"
#include "core/diagnostic.hpp"

namespace railyard::collectives {

std::vector<std::string> shipped_tables() {
  std::vector<std::string> files;
  for (const std::filesystem::path& folder : core::config_folders()) {
    std::error_code failure;
    for (const auto& entry :
         std::filesystem::directory_iterator(folder / "validation" / "measured", failure))
      if (entry.path().extension() == ".jsonc" || entry.path().extension() == ".csv")
        files.push_back(entry.path().string());
    if (!files.empty()) break;
  }
  std::ranges::sort(files);
  if (files.empty())
    throw InputError("", "FILE", "there are no measured tables in configs/validation/measured",
                     "give files of measured tables, or set RAILYARD_CONFIGS");
  return files;
}

}  // namespace railyard::collectives
