#include "core/config/text_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "core/diagnostic.hpp"

namespace railyard::core {
namespace {

InputError too_large(const std::filesystem::path& path, Bytes limit) {
  return InputError(path.string(), "",
                    fmt::format("is larger than {}, the limit for text files", to_text(limit)),
                    "is this the right file?");
}

}  // namespace

std::string read_text_file(const std::filesystem::path& path, Bytes limit) {
  std::error_code failure;
  const std::filesystem::file_status status = std::filesystem::status(path, failure);
  if (!std::filesystem::exists(status)) throw InputError(path.string(), "", "does not exist");
  if (std::filesystem::is_directory(status))
    throw InputError(path.string(), "", "is a folder, not a file");
  const auto allowed = static_cast<std::uintmax_t>(limit.count());
  if (std::filesystem::is_regular_file(status)) {
    const std::uintmax_t size = std::filesystem::file_size(path, failure);
    if (!failure && size > allowed) throw too_large(path, limit);
  }

  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  if (!stream)
    throw InputError(path.string(), "", fmt::format("cannot be read: {}", std::strerror(errno)));
  // Pipes and devices have no size: read in pieces, and stop behind the limit.
  std::string text;
  std::string piece(std::size_t{1} << 16, '\0');
  while (stream.read(piece.data(), static_cast<std::streamsize>(piece.size())) ||
         stream.gcount() > 0) {
    text.append(piece, 0, static_cast<std::size_t>(stream.gcount()));
    if (text.size() > allowed) throw too_large(path, limit);
  }
  if (stream.bad())
    throw InputError(path.string(), "", "a read error occurred in the middle of the file");
  return text;
}

}  // namespace railyard::core
