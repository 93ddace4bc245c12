#pragma once

#include <filesystem>
#include <string>

#include "core/units.hpp"

namespace railyard::core {

/// What a config, topology or result file may weigh; the largest that we know of is about 10 MB.
inline constexpr Bytes kMaxTextFile{std::int64_t{64} << 20};

/// The whole content of a file. Throws InputError where it is missing, a folder, unreadable, or
/// larger than `limit` (found before it is read).
[[nodiscard]] std::string read_text_file(const std::filesystem::path& path,
                                         Bytes limit = kMaxTextFile);

}  // namespace railyard::core
