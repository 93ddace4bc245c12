#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace railyard::core {

/// The folders that hold configs, nearest first: those of $RAILYARD_CONFIGS (separated by ':'), the
/// share folder beside the running executable, the source tree, the installation prefix. Each has a
/// folder per kind ("clusters", "gpus", ...). Folders that do not exist are left out.
[[nodiscard]] std::vector<std::filesystem::path> config_folders();

/// The names of the configs of a kind, sorted, each once: "dgx_h100_ndr400".
[[nodiscard]] std::vector<std::string> config_names(std::string_view kind);

/// The file that a reference means: a path from the folder of `referring` (a config that names
/// another), or from the working directory, or else `<folder>/<kind>/<reference>.json` in one of
/// config_folders(). Throws InputError at `referring` and `pointer` where there is none.
[[nodiscard]] std::filesystem::path resolve_config(std::string_view reference,
                                                   std::string_view kind,
                                                   const std::filesystem::path& referring = {},
                                                   std::string_view pointer = {});

}  // namespace railyard::core
