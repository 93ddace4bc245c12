#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostic.hpp"

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

/// The problem of a reference that resolve_config() would not find from the working directory,
/// without file and pointer; nothing where it would. For files of rules that are checked before
/// the rule that names the config is used.
[[nodiscard]] std::optional<Diagnostic> missing_config(std::string_view reference,
                                                       std::string_view kind);

}  // namespace railyard::core
