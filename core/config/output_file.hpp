#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>

namespace railyard::core {

/// Writes a file atomically: `write` fills a temporary file in the same folder, which is then
/// renamed to `path`. If the disk is full, `write` throws or the process is killed, the previous
/// content of `path` remains. Symbolic links are followed and the permissions of a replaced file
/// are kept. A pipe or device (such as /dev/null) is written in place. Throws InputError with the
/// path and the system's reason.
void write_file(const std::filesystem::path& path, const std::function<void(std::ostream&)>& write);

}  // namespace railyard::core
