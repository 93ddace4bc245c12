#include "collectives/formats/traces/compressed_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <zlib.h>

#include "core/available_memory.hpp"
#include "core/diagnostic.hpp"

namespace railyard::collectives {
namespace {

// Deflate compresses up to 1,032 bytes into one. A malicious file of 16 MB could expand to 16 GiB,
// all of it one string.
constexpr std::uint64_t kMostBytes = std::uint64_t{16} << 30;

[[noreturn]] void fail_with_size(const std::string& file, std::uint64_t most) {
  throw InputError(file, "", fmt::format("holds more than {} MiB", most >> 20),
                   "is this the right file?");
}

}  // namespace

CompressedFile::CompressedFile(const std::string& file)
    : file_(file), stream_(nullptr), most_(std::min(kMostBytes, core::available_memory() / 2)) {
  std::error_code unknown;
  if (std::filesystem::is_directory(file, unknown))
    throw InputError(file, "", "is a folder", "name a file in it");
  errno = 0;
  stream_ = gzopen(file.c_str(), "rb");
  if (stream_ == nullptr)
    throw InputError(file, "",
                     errno == ENOENT ? "does not exist"
                                     : fmt::format("cannot be read: {}", std::strerror(errno)));
}

CompressedFile::~CompressedFile() { gzclose_r(stream_); }

CompressedFile::int_type CompressedFile::underflow() {
  if (gptr() != egptr()) return traits_type::to_int_type(*gptr());
  const int count = gzread(stream_, buffer_.data(), static_cast<unsigned>(buffer_.size()));
  int error = Z_OK;
  const char* const text = gzerror(stream_, &error);
  // A stream that ends early gives its bytes and then Z_BUF_ERROR.
  if (count < 0 || error != Z_OK)
    throw InputError(file_, "", fmt::format("cannot be uncompressed: {}", text),
                     "the file may be truncated");
  if (count == 0) return traits_type::eof();
  read_ += static_cast<std::uint64_t>(count);
  if (read_ > most_) fail_with_size(file_, most_);
  setg(buffer_.data(), buffer_.data(), buffer_.data() + count);
  return traits_type::to_int_type(buffer_[0]);
}

std::string read_compressed(const std::string& file, std::uint64_t most) {
  CompressedFile source(file);
  std::string text;
  std::array<char, 1 << 16> piece{};
  while (const std::streamsize count = source.sgetn(piece.data(), piece.size())) {
    text.append(piece.data(), static_cast<std::size_t>(count));
    if (text.size() > most) fail_with_size(file, most);
  }
  return text;
}

}  // namespace railyard::collectives
