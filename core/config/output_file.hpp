#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>

namespace railyard::core {

/// Writes a file in one step: `write` fills a new file beside `path`, which then takes the name. A
/// full disk, an exception of `write` or a killed process leaves what was there before. Links are
/// followed, the permissions of a file that is replaced are kept, and what is no regular file
/// (a pipe, /dev/null) is written in place. Throws InputError with the path and the system's
/// reason.
void write_file(const std::filesystem::path& path, const std::function<void(std::ostream&)>& write);

}  // namespace railyard::core
