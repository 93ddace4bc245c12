#pragma once

#include <filesystem>
#include <string_view>

namespace railyard::testing {

/// The path of a file or folder of ../shared/truth beside this checkout or the folder above it;
/// empty where there is none.
inline std::filesystem::path truth_path(std::string_view name) {
  std::filesystem::path found;
  for (const char* up : {".", ".."}) {
    const auto path = std::filesystem::path(RAILYARD_SOURCE_DIR) / up / "../shared/truth" / name;
    if (std::filesystem::exists(path)) found = path;
  }
  return found;
}

}  // namespace railyard::testing
