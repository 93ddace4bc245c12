#pragma once

#include <filesystem>
#include <string>

#include "core/units.hpp"

namespace railyard::core {

/// Largest size of a config, topology or result file. The largest known file has about 10 MB.
inline constexpr Bytes kMaxTextFile{std::int64_t{64} << 20};

/// The whole content of a file. Throws InputError if the file is missing, a folder, unreadable or
/// larger than `limit`. The size is checked before reading.
[[nodiscard]] std::string read_text_file(const std::filesystem::path& path,
                                         Bytes limit = kMaxTextFile);

}  // namespace railyard::core
