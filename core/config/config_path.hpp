#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostic.hpp"

namespace railyard::core {

/// The folders that hold configs, in the order in which they are searched: the folders of
/// $RAILYARD_CONFIGS (separated by ':'), the share folder next to the running executable, the
/// source tree, the installation prefix. Each contains one folder per kind of config ("clusters",
/// "gpus", ...). Folders that do not exist are left out.
[[nodiscard]] std::vector<std::filesystem::path> config_folders();

/// The names of all configs of a kind, sorted and without duplicates: "dgx_h100_ndr400".
[[nodiscard]] std::vector<std::string> config_names(std::string_view kind);

/// The file to which a reference in a config or flag refers. It is searched in this order:
///   1. a path relative to the folder of `referring`, the config that contains the reference;
///   2. a path relative to the working directory;
///   3. `<folder>/<kind>/<reference>.json` in each of config_folders().
/// Throws InputError, with `referring` and `pointer` as its position, if there is no such file.
[[nodiscard]] std::filesystem::path resolve_config(std::string_view reference,
                                                   std::string_view kind,
                                                   const std::filesystem::path& referring = {},
                                                   std::string_view pointer = {});

/// The error that resolve_config() would report for a reference from the working directory, without
/// file and pointer. Empty if the config exists. It lets a file of rules be checked before the rule
/// that refers to the config is applied.
[[nodiscard]] std::optional<Diagnostic> missing_config(std::string_view reference,
                                                       std::string_view kind);

}  // namespace railyard::core
